import { numberAt } from '../../platform/sqlite/row.js';
import type { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import { removeNote } from './vector-rows.js';

/** Removes everything of a collection in one transaction; quiet where there is none. */
export function removeCollection(database: SqliteDatabase, name: string): void {
  database.transaction(() => {
    const row = database.row('SELECT id FROM store_collection WHERE name = ?', name);
    if (row === undefined) return;
    const id = numberAt(row, 0);
    for (const part of ['body', 'vector', 'terms'])
      database.run(
        `DELETE FROM store_${part} WHERE row IN (SELECT row FROM store_chunk WHERE collection = ?)`,
        id,
      );
    for (const table of ['chunk', 'segment', 'posting', 'profile', 'dead'])
      database.run(`DELETE FROM store_${table} WHERE collection = ?`, id);
    removeNote(database, id);
    database.run('DELETE FROM store_collection WHERE id = ?', id);
  });
}
