import { type FakeWorkItem, startAzureDevOps, WorkItemState } from '../fakes/services/azure-devops.js';
import type { FakeWikiPage } from '../fakes/services/azure-devops-wiki.js';
import { startConfluenceCloud } from '../fakes/services/confluence-cloud.js';
import { ConfluenceState, type FakePage } from '../fakes/services/confluence-state.js';
import type { FakeApi } from '../fakes/services/fake-api.js';
import type { EditedPlace, SourceInput } from './edited-places.js';

const basic = (account: string): string => `Basic ${Buffer.from(account).toString('base64')}`;

/** What a service does not tell is found by the engine's own interval alone. */
const LATE = { completeListingHours: 1_000_000, allowPrivateNetwork: true };

const paragraphs = (text: string): string =>
  text
    .split('\n\n')
    .map((part) => `<p>${part.trim()}</p>`)
    .join('');

/** A sign-in that can be taken away. */
class Token {
  #isGood = true;
  constructor(readonly value: string) {}

  get current(): string {
    return this.#isGood ? this.value : 'expired';
  }

  takeAway(): () => void {
    this.#isGood = false;
    return () => {
      this.#isGood = true;
    };
  }
}

/** Work items and wiki pages of a project, which are one source. */
export async function editedProject(): Promise<[items: EditedPlace, wiki: EditedPlace]> {
  const state = new WorkItemState();
  const token = new Token('pat-1');
  const api = await startAzureDevOps(state, basic(`:${token.value}`));
  const items = new Map<string, FakeWorkItem>();
  const pages = new Map<string, FakeWikiPage>();
  const common = {
    get source(): SourceInput {
      return {
        ...LATE,
        name: 'project',
        type: 'azure_devops',
        baseUrl: api.url,
        organization: 'org',
        project: 'Shop',
        auth: { pat: token.current },
      };
    },
    takeAway: () => token.takeAway(),
  };
  const itemPlace = {
    write: (name: string, text: string) => {
      const fields = { 'System.Title': name, 'System.Description': paragraphs(text) };
      const item = items.get(name);
      if (item === undefined) items.set(name, state.add(fields));
      else state.change(item, fields);
    },
    rename: (from: string, to: string) => {
      const item = taken(items, from);
      state.change(item, { 'System.Title': to });
      items.set(to, item);
    },
    remove: (name: string) => state.remove(taken(items, name)),
    close: () => api.stop(),
  };
  const wikiPlace = {
    write: (name: string, text: string) => {
      const page = pages.get(name);
      if (page === undefined) pages.set(name, state.wiki.add(`/${name}`, text));
      else state.wiki.edit(page, { content: text });
    },
    rename: (from: string, to: string) => {
      const page = taken(pages, from);
      state.wiki.edit(page, { path: `/${to}` });
      pages.set(to, page);
    },
    remove: (name: string) => state.wiki.remove(taken(pages, name)),
    close: () => undefined,
  };
  return [withSource(common, itemPlace), withSource(common, wikiPlace)];
}

/** Pages of a site, which knows who may read them. Its clock is that of the world. */
export async function editedSite(clock: { now: number }): Promise<EditedPlace> {
  const state = new ConfluenceState();
  const token = new Token('token-1');
  const api: FakeApi = await startConfluenceCloud(state, basic(`ann@example.com:${token.value}`));
  const pages = new Map<string, FakePage>();
  /** The site writes the time of the world, which goes on by what it takes. */
  const inTime = (work: () => void): void => {
    state.advance(Math.max(0, clock.now - state.now.getTime()));
    work();
    clock.now = state.now.getTime();
  };
  const place = {
    write: (name: string, text: string) =>
      inTime(() => {
        const page = pages.get(name);
        const body = paragraphs(text);
        if (page === undefined) pages.set(name, state.addPage({ title: name, body }));
        else state.edit(page, body);
      }),
    rename: (from: string, to: string) =>
      inTime(() => {
        const page = taken(pages, from);
        page.title = to;
        state.edit(page, page.body);
        pages.set(to, page);
      }),
    remove: (name: string) => state.remove(taken(pages, name)),
    restrict: (name: string) => {
      const page = pages.get(name);
      if (page === undefined) return;
      // It leaves neither version nor time behind, as at the real site.
      if (page.readers === undefined) page.readers = { groups: ['staff'], users: [] };
      else delete page.readers;
    },
    close: () => api.stop(),
  };
  const common = {
    get source(): SourceInput {
      return {
        ...LATE,
        name: 'site',
        type: 'confluence',
        baseUrl: api.url,
        deployment: 'cloud',
        spaceKeys: ['OPS'],
        accessGroups: ['*'],
        auth: { username: 'ann@example.com', apiToken: token.current },
      };
    },
    takeAway: () => token.takeAway(),
  };
  return withSource(common, place);
}

/** Spreading would read the source once and for all. */
const withSource = <Common extends object, Place extends object>(common: Common, place: Place) =>
  Object.assign(Object.create(common) as Common, place);

function taken<T>(all: Map<string, T>, name: string): T {
  const one = all.get(name);
  if (one === undefined) throw new Error(`There is no ${name}.`);
  all.delete(name);
  return one;
}
