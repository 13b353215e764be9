import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'libsql';
import type { RAGSettingsInput } from '../../src/config/schema/index.js';

export type SourceInput = NonNullable<RAGSettingsInput['sources']>[number];

/** A place that people edit and a source reads. */
export interface EditedPlace {
  readonly source: SourceInput;
  write(name: string, text: string): void;
  rename(from: string, to: string): void;
  remove(name: string): void;
  /** Makes it unreachable until the function that is returned is called. */
  takeAway(): () => void;
  /** Restricts a document to the staff, or lets everyone read it again, where the place itself knows of that. */
  restrict?(name: string): void;
  close(): void | Promise<void>;
}

/** Files change in no order of time: equal content has equal times, as far as they can be set. */
function writeAt(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const seconds = 1_600_000_000 + (createHash('sha256').update(text).digest().readUInt16BE() % 50_000);
  utimesSync(path, seconds, seconds);
}

function moveFile(root: string, from: string, to: string): void {
  mkdirSync(dirname(join(root, to)), { recursive: true });
  renameSync(join(root, from), join(root, to));
}

function takeFolderAway(root: string): () => void {
  renameSync(root, `${root}-away`);
  return () => renameSync(`${root}-away`, root);
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'ragstone-edits-'));

export function editedFiles(): EditedPlace {
  const folder = newFolder();
  const root = join(folder, 'files');
  mkdirSync(root);
  return {
    source: { name: 'files', type: 'files', root, paths: ['**'] },
    write: (name, text) => writeAt(join(root, name), text),
    rename: (from, to) => moveFile(root, from, to),
    remove: (name) => rmSync(join(root, name)),
    takeAway: () => takeFolderAway(root),
    close: () => rmSync(folder, { recursive: true }),
  };
}

/** Every edit is a commit. */
export function editedRepository(): EditedPlace {
  const folder = newFolder();
  const root = join(folder, 'repository');
  mkdirSync(root);
  let commits = 0;
  const git = (...args: string[]): void => {
    const at = `${1_700_000_000 + 60 * commits} +0000`;
    execFileSync('git', args, {
      cwd: root,
      stdio: 'ignore',
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        GIT_AUTHOR_NAME: 'Ada',
        GIT_AUTHOR_EMAIL: 'ada@example.com',
        GIT_COMMITTER_NAME: 'Ada',
        GIT_COMMITTER_EMAIL: 'ada@example.com',
        GIT_AUTHOR_DATE: at,
        GIT_COMMITTER_DATE: at,
      },
    });
  };
  const commit = (): void => {
    commits += 1;
    git('add', '-A');
    git('commit', '-qm', `edit ${commits}`, '--allow-empty');
  };
  git('init', '-q', '-b', 'main');
  commit();
  return {
    source: { name: 'code', type: 'git', repository: root },
    write: (name, text) => {
      writeAt(join(root, name), text);
      commit();
    },
    rename: (from, to) => {
      moveFile(root, from, to);
      commit();
    },
    remove: (name) => {
      rmSync(join(root, name));
      commit();
    },
    takeAway: () => takeFolderAway(root),
    close: () => rmSync(folder, { recursive: true }),
  };
}

export function editedRows(): EditedPlace {
  const folder = newFolder();
  const path = join(folder, 'rows.db');
  const database = new Database(path);
  database.exec('CREATE TABLE notes (id TEXT PRIMARY KEY, body TEXT NOT NULL)');
  const run = (sql: string, ...values: string[]): void => void database.prepare(sql).run(...values);
  return {
    source: {
      name: 'rows',
      type: 'sql',
      path,
      table: 'notes',
      key: ['id'],
      content: ['body'],
      title: '{id}',
      fields: ['id'],
    },
    write: (name, text) => run('INSERT OR REPLACE INTO notes (id, body) VALUES (?, ?)', name, text),
    rename: (from, to) => run('UPDATE notes SET id = ? WHERE id = ?', to, from),
    remove: (name) => run('DELETE FROM notes WHERE id = ?', name),
    takeAway: () => {
      database.exec('ALTER TABLE notes RENAME TO notes_away');
      return () => void database.exec('ALTER TABLE notes_away RENAME TO notes');
    },
    close: () => {
      database.close();
      if (existsSync(folder)) rmSync(folder, { recursive: true });
    },
  };
}
