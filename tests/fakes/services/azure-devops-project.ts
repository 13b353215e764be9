import {
  AzureDevOpsSource,
  type AzureDevOpsSourceOptions,
} from '../../../src/sources/azure-devops/azure-devops-source.js';
import { startAzureDevOps, type WorkItemState } from './azure-devops.js';
import type { FakeApi } from './fake-api.js';

type Options = Partial<AzureDevOpsSourceOptions>;

const TOKEN = 'pat-1';
const started: FakeApi[] = [];

/** Starts a fake project; `source` makes sources that read it, each new, as of another run. */
export async function startProject(state: WorkItemState, options: Options = {}) {
  const api = await startAzureDevOps(state, `Basic ${Buffer.from(`:${TOKEN}`).toString('base64')}`);
  started.push(api);
  const source = (more: Options = {}): AzureDevOpsSource =>
    new AzureDevOpsSource({
      name: 'items',
      baseUrl: api.url,
      organization: 'org',
      project: 'Shop',
      pat: TOKEN,
      allowPrivateNetwork: true,
      http: { firstDelayMs: 1, retries: 30 },
      ...options,
      ...more,
    });
  return { api, source };
}

/** Stops every project that was started. */
export async function stopProjects(): Promise<void> {
  await Promise.all(started.splice(0).map((api) => api.stop()));
}
