import { join } from 'node:path';
import * as z from 'zod';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import { jsonValue, nonEmptyText, secretText, stringList, wholeNumber } from '../../core/setting-values.js';
import { linkTemplate } from '../page-address.js';
import { defineSource } from '../source-definition.js';
import { parseGitAddress } from './git-address.js';

/** Clones are kept in the data folder. */
export const gitDefinition = defineSource({
  type: 'git',
  about: 'Files of a Git repository at a commit.',
  fields: {
    repository: nonEmptyText()
      .default('.')
      .describe(
        "A folder, relative to the project's, or an address: `https://`, `ssh://`, `file://`, `user@host:path`.",
      ),
    ref: nonEmptyText().default('HEAD').describe('Branch, tag or commit.'),
    paths: stringList()
      .default(['**'])
      .describe(
        'Files and glob patterns, relative to the repository. `**` stands for documents and source code.',
      ),
    exclude: stringList().default([]).describe('Glob patterns that are left out.'),
    generated: z
      .boolean()
      .default(false)
      .describe('Read source files that nobody wrote too: vendored, minified, generated, lock files.'),
    history: z
      .boolean()
      .default(true)
      .describe('Read the history: authors, dates, and an identity that renames keep.'),
    maxFileBytes: wholeNumber(1)
      .optional()
      .describe('Size limit of one file, in bytes. Default: `limits.maxFileBytes`.'),
    link: linkTemplate('https://git.example/{commit}/{path}').describe(
      'Address of a file for people, `http` or `https`, with `{commit}` and `{path}`.',
    ),
    auth: z
      .strictObject({
        username: nonEmptyText().optional().describe('User name. Default: what hosts take beside a token.'),
        token: secretText().describe('Access token for https. Always masked in output.'),
      })
      .optional()
      .describe('How to sign in.'),
    frontmatterFields: stringList()
      .optional()
      .describe('Front matter fields that become metadata. Default: all.'),
    metadata: z
      .record(z.string(), jsonValue)
      .default({})
      .describe(
        'Facts added to every document. `sourceType` is what filters use; default: the kind of the file.',
      ),
  },
  processed: ({ generated, link, history }) => ({ generated, link, history }),
  folder: ({ name: source, repository }, projectRoot) => {
    const address = parseGitAddress(repository, { source, baseFolder: projectRoot });
    return address.kind === 'folder' ? address.path : undefined;
  },
  reach: async ({ name: source, repository }, projectRoot) => {
    const address = parseGitAddress(repository, { source, baseFolder: projectRoot });
    if (address.kind !== 'folder') return [];
    const { reachOfFolder } = await import('./repository-reach.js');
    return reachOfFolder(address.path, projectRoot);
  },
  watched: ({ name: source, repository }, projectRoot) => {
    const address = parseGitAddress(repository, { source, baseFolder: projectRoot });
    if (address.kind !== 'folder') return undefined;
    return async () => {
      const { watchedRepository } = await import('./watched-repository.js');
      return watchedRepository(address.path);
    };
  },
  files: { mayBeAbsent: true },
  open: async (settings, context) => {
    const { createGitSource } = await import('./git-source.js');
    const { name, repository, ref, paths, exclude, generated, history, link, auth, metadata } = settings;
    return createGitSource({
      ...{ name, repository, ref, exclude, generated, history, metadata, link },
      include: paths,
      baseFolder: context.projectRoot,
      cacheFolder: join(context.dataDir, DATA_FOLDERS.clones),
      environment: context.environment,
      confinement: context.confinement,
      maxFileBytes: settings.maxFileBytes ?? context.maxFileBytes,
      auth: auth && { token: auth.token.reveal(), username: auth.username },
    });
  },
});
