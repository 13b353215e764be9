import type { Dirent } from 'node:fs';

/** An entry of a folder as the globber wants it. */
export type FolderEntry = Pick<Dirent, 'name' | 'isFile' | 'isDirectory' | 'isSymbolicLink'>;

export const entryOf = (name: string, kind: 'file' | 'folder'): FolderEntry => ({
  name,
  isFile: () => kind === 'file',
  isDirectory: () => kind === 'folder',
  isSymbolicLink: () => false,
});
