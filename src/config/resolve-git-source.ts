import { join } from 'node:path';
import type { GitSourceOptions } from '../sources/git/git-source.js';
import type { ResolvedConfig, ResolvedSource } from './resolved-config.js';

type GitSettings = Extract<ResolvedSource, { type: 'git' }>;

/** What a `git` source is opened with. Clones are kept in the data folder. */
export function gitSourceOptions(settings: GitSettings, config: ResolvedConfig): GitSourceOptions {
  const { name, repository, ref, paths, exclude, generated, history, link, auth, metadata } = settings;
  return {
    ...{ name, repository, ref, exclude, generated, history, metadata },
    include: paths,
    baseFolder: config.projectRoot,
    cacheFolder: join(config.dataDir, 'git'),
    environment: config.environment,
    maxFileBytes: settings.maxFileBytes ?? config.rag.limits.maxFileBytes,
    ...(link === undefined ? {} : { link }),
    ...(auth === undefined
      ? {}
      : {
          auth: {
            token: auth.token.reveal(),
            ...(auth.username === undefined ? {} : { username: auth.username }),
          },
        }),
  };
}
