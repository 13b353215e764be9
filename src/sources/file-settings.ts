import * as z from 'zod';
import { stringList, wholeNumber } from '../core/setting-values.js';
import type { SourceContext } from './source-definition.js';
import type { FileSelection } from './source-files.js';

/** Settings of sources that read files below a folder. */
export const fileFields = {
  root: z
    .string()
    .min(1)
    .default('.')
    .describe(
      "Folder that `paths` and document ids are relative to, itself relative to the project's folder.",
    ),
  paths: stringList().describe('Files and glob patterns, relative to `root`.'),
  exclude: stringList().default([]).describe('Glob patterns that are left out.'),
  hidden: z
    .boolean()
    .default(false)
    .describe(
      'Read files and folders whose name starts with a dot. A pattern that names one reads it anyway.',
    ),
  followSymlinks: z.boolean().default(false).describe('Follow symbolic links that stay inside `root`.'),
  maxFileBytes: wholeNumber(1)
    .optional()
    .describe('Size limit of one file, in bytes. Default: `limits.maxFileBytes`.'),
};

type FileSettings = z.output<z.ZodObject<typeof fileFields>> & {
  readonly name: string;
  readonly gitignore: boolean;
};

/** Which files the settings name. */
export const fileSelection = (
  settings: FileSettings,
  { maxFileBytes, confinement }: SourceContext,
): FileSelection => ({
  name: settings.name,
  root: settings.root,
  assertRoot: confinement?.assertRoot,
  include: settings.paths,
  exclude: settings.exclude,
  gitignore: settings.gitignore,
  hidden: settings.hidden,
  followSymlinks: settings.followSymlinks,
  maxFileBytes: settings.maxFileBytes ?? maxFileBytes,
});
