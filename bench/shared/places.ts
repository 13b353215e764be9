import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Root of the repository. */
export const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** The built command line. */
export const CLI = fileURLToPath(new URL('../../dist/faces/cli/main.js', import.meta.url));

/** Files of this machine: JSON of runs, cached vectors. Not committed. */
export const LOCAL_RESULTS = fileURLToPath(new URL('../results/local/', import.meta.url));

/** Public data sets and models that stand beside the repository; see bench/README.md. */
export const SHARED = fileURLToPath(new URL('../../../shared/', import.meta.url));

export const CORPORA = ['ise-playbook', 'kubernetes-keps', 'rust-rfcs', 'sourcegraph-handbook'] as const;

export const corpusFolder = (name: (typeof CORPORA)[number]): string => `${SHARED}data/corpora/${name}`;

export const MINILM = `${SHARED}models/all-MiniLM-L6-v2`;

/** Ends the program, with what is missing, before hours are spent on a part of the work. */
export function assertPlacesExist(): void {
  const missing = [CLI, `${SHARED}data`, MINILM].filter((place) => !existsSync(place));
  if (missing.length === 0) return;
  console.error(
    `Missing: ${missing.join(', ')}. Build with "npm run build"; bench/README.md says where data belongs.`,
  );
  process.exit(2);
}
