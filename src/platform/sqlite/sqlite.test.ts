import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareText } from '../../core/filter.js';
import { originalText, storableText, text, textAt } from './row.js';
import { SqliteDatabase } from './sqlite-database.js';
import { sqliteFaultOf } from './sqlite-fault.js';

let folder: string;
let database: SqliteDatabase;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-sqlite-'));
  database = SqliteDatabase.open(join(folder, 'test.db'), {
    toError: (kind, cause) => new Error(kind, { cause }),
  });
  database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)');
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

const texts = fc.string({
  unit: fc.constantFrom('\0', '\u0001', '\u0002', '\u0003', 'a', 'é', '\uffee', '😀'),
});

describe('storable text', () => {
  it('comes back from a column as it was, and keeps its order', () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const row =
          database.row(`SELECT ${text('?')}, ? < ?`, storableText(a), storableText(a), storableText(b)) ?? [];
        expect(originalText(textAt(row, 0))).toBe(a);
        expect(row[1]).toBe(compareText(a, b) < 0 ? 1 : 0);
      }),
    );
  });
});

describe('a text that is no UTF-8', () => {
  it('is a damaged value, and a query that would let the driver read it is refused', () => {
    database.exec("INSERT INTO t (text) VALUES (CAST(x'41ff42' AS TEXT))");
    const [row] = database.rows(`SELECT ${text('text')} FROM t`);
    expect(() => database.guard(() => textAt(row ?? [], 0))).toThrow('damaged');
    expect(() => database.rows('SELECT text FROM t')).toThrow('must be read by `text`');
  });
});

describe('a transaction', () => {
  const insert = (text: string) => database.run('INSERT INTO t (text) VALUES (?)', text);

  it('leaves nothing of work that throws, and passes its error through', () => {
    const mine = new RangeError('mine');
    expect(() =>
      database.transaction(() => {
        insert('a');
        throw mine;
      }),
    ).toThrow(mine);
    expect(database.rows('SELECT id FROM t')).toEqual([]);
    database.transaction(() => insert('b'));
    expect(database.rows(`SELECT ${text('text')} FROM t`).map((row) => textAt(row, 0))).toEqual(['b']);
  });

  it('shows why it failed where SQLite has already rolled it back', () => {
    database.exec('PRAGMA max_page_count = 8');
    const fill = () =>
      database.transaction(() => {
        for (let i = 0; i < 1_000; i++) insert(`${i} ${'x'.repeat(1_000)}`);
      });
    expect(fill).toThrow('full');
    expect(database.rows('SELECT id FROM t')).toEqual([]);
  });
});

describe('faults', () => {
  it('are told apart', () => {
    const fault = (rawCode: number) => sqliteFaultOf(Object.assign(new Error('x'), { rawCode }));
    expect([5, 8, 1544, 11, 267, 13, 14, 26, 522, 778, 19].map(fault)).toEqual([
      'busy',
      'read-only',
      'read-only',
      'damaged',
      'damaged',
      'full',
      'cannot-open',
      'damaged',
      'damaged',
      'full',
      'other',
    ]);
    expect(sqliteFaultOf(new Error('no such table: chunk'))).toBe('damaged');
    expect(sqliteFaultOf('text')).toBe('other');
  });

  it('of opening are classified though the driver gives no code', () => {
    const open = () =>
      SqliteDatabase.open(join(folder, 'none', 'x.db'), {
        toError: (kind, cause) => new Error(kind, { cause }),
      });
    expect(open).toThrow('cannot-open');
  });
});

describe('deleted text', () => {
  it('is in the file no more, also where its row was moved to another page', () => {
    database.exec('PRAGMA secure_delete = ON; PRAGMA synchronous = OFF');
    database.exec('CREATE TABLE kept (name TEXT PRIMARY KEY, rest TEXT) STRICT, WITHOUT ROWID');
    // Of this order of names SQLite leaves a copy of the deleted one.
    let random = 109;
    const next = (): number => {
      random = (random * 48271) % 2147483647;
      return random;
    };
    for (let i = 0; i < 120; i++) {
      const name = i === 60 ? 'okapifolio' : String.fromCharCode(97 + (next() % 26)) + next();
      database.run('INSERT INTO kept VALUES (?, ?)', name, 'x'.repeat(next() % 300));
    }
    database.run("DELETE FROM kept WHERE name = 'okapifolio'");
    database.tryTruncateLog();
    expect(readFileSync(database.path).includes('okapifolio')).toBe(true);
    database.eraseDeleted();
    expect(readFileSync(database.path).includes('okapifolio')).toBe(false);
    expect(database.row('SELECT count(*) FROM kept')).toEqual([119]);
  });
});
