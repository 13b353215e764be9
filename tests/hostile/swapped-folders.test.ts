import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type SourceFiles, SYSTEM_RUNTIME, withRuntime } from '../../src/core/runtime.js';
import { createFilesSource } from '../../src/sources/files/files-source.js';
import { createMarkdownSource } from '../../src/sources/markdown/markdown-source.js';
import { isUnreadable, type Source } from '../../src/sources/source.js';
import { temporaryFolder } from '../e2e/temporary-folder.js';

// Invariant: nothing outside of the folder of a source is listed or read, whatever takes the place of its folders meanwhile.
// Kept by src/sources/open-file.ts.

let outer: string;
let root: string;
beforeEach(() => {
  outer = temporaryFolder({
    'private/a.md': '# Salaries\n\nWhat everybody earns.\n',
    'private/secret.md': '# Secret\n\nA stranger.\n',
    'private/deep/a.md': '# Salaries\n',
    'docs/sub/a.md': '# Kiln\n\nThe kiln burns.\n',
    'docs/sub/deep/a.md': '# Glaze\n',
    'docs/hidden/.keep': '',
    'docs/.secrets/a.md': '# Keys\n',
  });
  root = join(outer, 'docs');
});

/** Puts a link in the place of a folder, once. */
function swapper(path: string, target: string): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    renameSync(path, join(outer, 'moved away'));
    symlinkSync(target, path);
  };
}

/** The machine's files, with something done between two steps. */
interface Steps {
  /** After a folder was listed. */
  readonly afterListing?: (folder: string) => void;
  /** After a path was resolved, and before it is opened. */
  readonly afterResolving?: (path: string) => void;
}

const filesWith = ({ afterListing, afterResolving }: Steps, isDescriptorAsked: boolean): SourceFiles => ({
  ...SYSTEM_RUNTIME.files,
  // Another function than the system's: what is opened is then told by device and inode, as where there is no /proc.
  open: isDescriptorAsked ? open : (...args: Parameters<typeof open>) => open(...args),
  readdir: (async (...args: Parameters<typeof readdir>) => {
    const entries = await readdir(...args);
    afterListing?.(String(args[0]));
    return entries;
  }) as typeof readdir,
  realpath: (async (path: string) => {
    const real = await realpath(path);
    afterResolving?.(String(path));
    return real;
  }) as typeof realpath,
});

interface Seen {
  readonly ids: readonly string[];
  readonly versions: readonly string[];
  readonly texts: readonly string[];
  readonly reasons: readonly string[];
}

/** Lists a source, then reads what it lists, and what else is asked for. */
async function look(source: Source, files: SourceFiles, asked: readonly string[] = []): Promise<Seen> {
  const [ids, versions, texts, reasons]: string[][] = [[], [], [], []];
  const failed = (error: unknown): number =>
    reasons?.push((error as { reason?: string }).reason ?? String(error)) ?? 0;
  await withRuntime({ ...SYSTEM_RUNTIME, files }, async () => {
    try {
      for await (const item of source.list())
        if ('error' in item && isUnreadable(item)) failed(item.error);
        else if ('version' in item) {
          ids?.push(item.id);
          versions?.push(item.version);
        }
    } catch (error) {
      failed(error);
    }
    for (const id of [...(ids ?? []), ...asked])
      await source
        .read({ id, version: '' })
        .then(
          ({ documents }) =>
            texts?.push(...documents.map(({ content }) => Buffer.from(content as Uint8Array).toString())),
          failed,
        );
  });
  return { ids: ids ?? [], versions: versions ?? [], texts: texts ?? [], reasons: reasons ?? [] };
}

const expectNothingPrivate = ({ ids, texts }: Seen): void => {
  expect(texts.join('\n')).not.toMatch(/Salaries|Secret|Keys/);
  expect(ids.join('\n')).not.toContain('secret.md');
};

describe.each([
  ['by its descriptor', true],
  ['by device and inode', false],
])('what was opened is told %s:', (_, isDescriptorAsked) => {
  describe.each([
    ['links are left out', false],
    ['links are followed', true],
  ])('%s:', (_name, followSymlinks) => {
    const sources: readonly (readonly [string, () => Source])[] = [
      ['files', () => createFilesSource({ name: 'docs', root, followSymlinks })],
      ['markdown', () => createMarkdownSource({ name: 'docs', root, followSymlinks })],
    ];

    test.each(sources)(
      'a folder of %s that is swapped after the one above it was listed',
      async (_kind, make) => {
        const swap = swapper(join(root, 'sub'), join(outer, 'private'));
        let listings = 0;
        // The first is a look whether the root can be listed.
        const afterListing = (): void => void (++listings === 2 && swap());
        const seen = await look(make(), filesWith({ afterListing }, isDescriptorAsked));
        expectNothingPrivate(seen);
        expect(seen.texts).toEqual([]);
        expect(seen.reasons).toContain('DOCUMENT_OUTSIDE_ROOT');
      },
    );

    test.each(sources)('a folder of %s that is swapped before its files are hashed', async (_kind, make) => {
      const swap = swapper(join(root, 'sub'), join(outer, 'private'));
      let listings = 0;
      // The root, then the folders in it.
      const afterListing = (): void => void (++listings > 4 && swap());
      const seen = await look(make(), filesWith({ afterListing }, isDescriptorAsked));
      expectNothingPrivate(seen);
    });

    test.each(sources)(
      'a folder of %s that is swapped between a look at a file and its opening',
      async (_kind, make) => {
        const swap = swapper(join(root, 'sub'), join(outer, 'private'));
        const afterResolving = (path: string): void => void (path.endsWith('sub/a.md') && swap());
        const seen = await look(make(), filesWith({ afterResolving }, isDescriptorAsked), ['sub/a.md']);
        expectNothingPrivate(seen);
        expect(seen.reasons).toContain('DOCUMENT_OUTSIDE_ROOT');
      },
    );

    test.each(sources)('the folder above that of a file of %s', async (_kind, make) => {
      const swap = swapper(join(root, 'sub'), join(outer, 'private'));
      const afterResolving = (path: string): void => void (path.endsWith('deep/a.md') && swap());
      expectNothingPrivate(
        await look(make(), filesWith({ afterResolving }, isDescriptorAsked), ['sub/deep/a.md']),
      );
    });

    test.each(sources)('the root of %s, after it was listed', async (_kind, make) => {
      const source = make();
      const files = filesWith({}, isDescriptorAsked);
      expect((await look(source, files)).ids).toContain('sub/a.md');
      swapper(root, join(outer, 'private'))();
      const seen = await look(source, files, ['a.md', 'secret.md']);
      expectNothingPrivate(seen);
      expect(new Set(seen.reasons)).toEqual(new Set(['SOURCE_UNREADABLE']));
    });
  });

  test('a folder that becomes a link to one that is left out in the same root', async () => {
    const source = createFilesSource({ name: 'docs', root });
    const swap = swapper(join(root, 'sub'), join(root, '.secrets'));
    const afterResolving = (path: string): void => void (path.endsWith('sub/a.md') && swap());
    expectNothingPrivate(await look(source, filesWith({ afterResolving }, isDescriptorAsked), ['sub/a.md']));
  });

  test('files that nobody touches are read, also through links inside the root where they are followed', async () => {
    symlinkSync(join(root, 'sub'), join(root, 'linked'));
    mkdirSync(join(root, 'new (deleted)'));
    writeFileSync(join(root, 'new (deleted)/b.md'), '# B\n');
    const source = createFilesSource({ name: 'docs', root, followSymlinks: true });
    const seen = await look(source, filesWith({}, isDescriptorAsked));
    expect(seen.ids).toEqual([
      'linked/a.md',
      'linked/deep/a.md',
      'new (deleted)/b.md',
      'sub/a.md',
      'sub/deep/a.md',
    ]);
    expect(seen.texts).toHaveLength(5);
    expect(seen.reasons).toEqual([]);
  });

  test('a root that is a link is read where it leads', async () => {
    symlinkSync(root, join(outer, 'link'));
    const source = createFilesSource({ name: 'docs', root: join(outer, 'link') });
    expect((await look(source, filesWith({}, isDescriptorAsked))).texts).toHaveLength(2);
  });
});
