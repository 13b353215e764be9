import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IndexDefinition } from '../../../tests/fakes/services/azure-search/index-definition.js';
import { compileFilter as compileOData } from '../../../tests/fakes/services/azure-search/odata-filter.js';
import { parseFilter } from '../../../tests/fakes/services/azure-search/odata-grammar.js';
import { eq, type Filter, matchesFilter, not, oneOf, or, prefix, range } from '../../core/filter.js';
import { record } from '../../testing/vector-store/records.js';
import { compileFilter } from '../compile-filter.js';
import { fieldLookup, storedChunkOf } from '../record-fields.js';
import { documentOf } from './document-codec.js';
import { doubleLiteral, literal, type ODataFilter, toOData } from './filter-odata.js';
import { indexDefinition } from './index-schema.js';

/** The fields as the service has them, for its own parser. */
const INDEX = {
  name: 'x',
  fields: indexDefinition('x', { name: 'x', dimensions: 8, fingerprint: 'm' }).fields,
} as unknown as IndexDefinition;

const noTexts = async (): Promise<string[]> => [];
const odataOf = async (filter: Filter): Promise<ODataFilter> => toOData(await compileFilter(filter, noTexts));

/** Text that quoting, lists and lambdas could break on. */
const HOSTILE = fc.oneof(
  fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
  fc
    .array(
      fc.constantFrom(
        "'",
        "''",
        "' or true or '",
        ') or (',
        '|',
        ',',
        ' ',
        ';',
        "tenantId ne '",
        '\\',
        '\u0000',
        'a',
        '%27',
        '/*',
      ),
    )
    .map((parts) => parts.join('')),
);

describe('a text in a filter', () => {
  it('is one literal, whatever it holds', () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        expect(parseFilter(`tenantId eq ${literal(text)}`)).toEqual({
          kind: 'compare',
          path: 'tenantId',
          operator: 'eq',
          constant: { type: 'string', value: text },
        });
      }),
      { numRuns: 1_000 },
    );
  });

  it('never widens the scope that it stands in', async () => {
    const acme = documentOf(record('a', { tenant: 'acme' }), 's');
    await fc.assert(
      fc.asyncProperty(HOSTILE, HOSTILE, async (tenant, group) => {
        fc.pre(tenant !== 'acme');
        const filter = await odataOf({
          op: 'and',
          filters: [
            eq('$tenant', tenant),
            or(eq('$source', group), oneOf('$documentId', [group, 'x']), not(eq('state', group))),
          ],
        });
        expect(typeof filter).toBe('string');
        expect(compileOData(String(filter), INDEX)(acme)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('in a list of any texts finds exactly these', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(HOSTILE, { minLength: 1, maxLength: 6 }), HOSTILE, async (list, tenant) => {
        const admits = compileOData(String(await odataOf(oneOf('$tenant', list))), INDEX);
        for (const text of [...list, tenant])
          expect(admits(documentOf(record('a', { tenant: text }), 's'))).toBe(list.includes(text));
        const inGroups = compileOData(
          String(
            await odataOf({
              op: 'or',
              filters: list.map((value): Filter => ({ op: 'contains', field: '$groups', value })),
            }),
          ),
          INDEX,
        );
        expect(inGroups(documentOf(record('a', { access: { groups: [tenant], level: 0 } }), 's'))).toBe(
          list.includes(tenant),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('any field name and value are compared exactly', async () => {
    const scalars = fc.oneof(
      HOSTILE,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    );
    await fc.assert(
      fc.asyncProperty(HOSTILE, scalars, scalars, async (field, stored, asked) => {
        const chunk = record('a', { metadata: { [field]: stored } });
        const document = documentOf(chunk, 's');
        const filters: Filter[] = [eq(field, asked), not(eq(field, stored)), oneOf(field, [asked, stored])];
        if (typeof asked === 'number')
          filters.push(range(field, { gt: asked }), range(field, { lte: asked }));
        if (typeof asked === 'string' && asked.length < 6)
          filters.push(range(field, { lt: asked }), prefix(field, asked));
        for (const filter of filters) {
          const odata = await odataOf(filter);
          const admits = typeof odata === 'string' ? compileOData(odata, INDEX)(document) : odata;
          expect(admits, JSON.stringify(filter)).toBe(
            matchesFilter(filter, fieldLookup(storedChunkOf(chunk))),
          );
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a filter', () => {
  it('names tenants, groups and ids as another program would', async () => {
    expect(await odataOf(eq('$tenant', "o'neil"))).toBe("tenantId eq 'o''neil'");
    expect(await odataOf(oneOf('$chunkId', ['aaaa', 'bbbb']))).toBe("search.in(id, 'aaaa|bbbb', '|')");
    expect(await odataOf({ op: 'contains', field: '$groups', value: 'dev' })).toBe(
      "groups/any(e: e eq 'dev')",
    );
    expect(await odataOf(range('$level', { lte: 2 }))).toMatch(/level le 2\.0/);
    expect(await odataOf(not(eq('$project', 'p')))).toBe("(not (projectId eq 'p'))");
  });

  it('compares texts only for equality, which is all that the service does', async () => {
    const odata = String(await odataOf(range('state', { gte: 'a', lt: 'c' })));
    expect(odata).not.toMatch(/(gt|ge|lt|le) '/);
    expect(() => compileOData("tenantId gt 'a'", INDEX)).toThrow(/not supported/);
  });

  it('has numbers that are read as Edm.Double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parseFilter(`level eq ${doubleLiteral(value)}`)).toMatchObject({
          constant: { type: 'double', value: value + 0 },
        });
      }),
    );
  });

  it('that admits everything or nothing is a constant', async () => {
    expect(await odataOf({ op: 'and', filters: [] })).toBe(true);
    expect(await odataOf(or())).toBe(false);
    expect(await odataOf(eq('$tenant', 1))).toBe(false);
  });
});
