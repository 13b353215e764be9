import type { FastifyPluginAsync } from 'fastify';
import type * as z from 'zod';
import type { Scope } from '../../../index.js';
import type { AuditLog } from '../../../operations/audit/audit-log.js';
import type { AuditRecord } from '../../../operations/audit/audit-record.js';
import type { AuditPlace } from '../../../operations/audit/read-audit.js';
import { ROUTES } from '../../client/routes.js';
import { jsonOf } from '../schemas/common.js';
import { queriesPage, queriesQuery } from '../schemas/queries.js';
import { serve } from './serve.js';

type Query = z.output<typeof queriesPage>['queries'][number];

/** Looked at for a page of what is rare. */
const MOST_BYTES = 8 * 1024 * 1024;

/** What was asked, out of the audit log of this data folder. */
export const queryRoutes: FastifyPluginAsync<{ readonly audit: Pick<AuditLog, 'linesOf'> }> = async (
  app,
  { audit },
) => {
  serve(app, {
    route: ROUTES.queries,
    access: 'maintain',
    tags: ['Maintenance'],
    summary: 'What was asked, as the audit log of this host has it',
    query: queriesQuery,
    response: jsonOf('Searches and answers of the tenant.', queriesPage),
    answer: async ({ query, view, signal }) => {
      const { cursor, limit, only } = query;
      const queries: Query[] = [];
      let last: AuditPlace | undefined;
      // What is rare is looked for before lines are taken apart.
      const holding = only === 'withheld' ? ['"isWithheld":true'] : [];
      const below = cursor === undefined ? undefined : placeIn(cursor);
      const lines = audit.linesOf(view.scope.tenant, { holding, mostBytes: MOST_BYTES, below });
      for (;;) {
        signal.throwIfAborted();
        const { value, done } = await lines.next();
        if (done === true) {
          const { reached } = value;
          return { queries, isWhole: reached === undefined, cursor: reached && cursorOf(reached) };
        }
        const query = queryOf(value.record, view.scope);
        if (query === undefined || !isWanted(query, only)) continue;
        // One more than is wanted says that there is a next page.
        if (queries.length === limit) {
          await lines.return({});
          return { queries, isWhole: true, cursor: last && cursorOf(last) };
        }
        queries.push(query);
        last = value.place;
      }
    },
  });
};

const cursorOf = ({ writer, sequence, offset }: AuditPlace): string => `${writer}.${sequence}.${offset}`;

function placeIn(cursor: string): AuditPlace {
  const [writer = '', sequence, offset] = cursor.split('.');
  return { writer, sequence: Number(sequence), offset: Number(offset) };
}

const KINDS: readonly (readonly [RegExp, Query['kind']])[] = [
  [/\/(?:search|explain)$|tools\/call (?:search|explain)$/, 'search'],
  [/\/(?:answer|chat)$|tools\/call ask$/, 'answer'],
  [/\/context$/, 'context'],
];

/** Undefined for a line that is no question, and for one of another project. */
function queryOf(line: AuditRecord, scope: Scope): Query | undefined {
  const { at, action, outcome, tenant, project, request, caller, text, results = 0, reason } = line;
  const [, kind] = KINDS.find(([of]) => of.test(action)) ?? [];
  if (kind === undefined || tenant !== scope.tenant || (outcome !== 'done' && outcome !== 'failed'))
    return undefined;
  if (scope.project !== undefined && project !== scope.project) return undefined;
  return {
    ...{ at, kind, requestId: request, caller, results, reason, isWithheld: line.isWithheld === true },
    ...(text !== undefined && mayRead(line, scope) ? { text } : {}),
  };
}

/** Of a line that does not say with which rights it was asked nobody is told the words. */
const mayRead = ({ groups, clearance }: AuditRecord, scope: Scope): boolean =>
  groups?.every((group) => scope.groups.includes(group)) === true && (clearance ?? 0) <= scope.clearance;

const isWanted = (
  { kind, results, isWithheld, reason }: Query,
  only: z.output<typeof queriesQuery>['only'],
): boolean => {
  if (only === undefined) return true;
  if (only === 'withheld') return isWithheld;
  return kind === 'search' && results === 0 && reason === undefined;
};
