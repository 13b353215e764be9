import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Paths of the manifests of Kubernetes, but for those that kustomize reads. */
export const MANIFESTS = ['base', 'scaled-out'].flatMap((form) =>
  readdirSync(join(ROOT, 'deploy/kubernetes', form))
    .filter((file) => !['kustomization.yaml', 'ragstone.yaml'].includes(file))
    .map((file) => `deploy/kubernetes/${form}/${file}`),
);
