import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { AnswerTrail } from '../answer-trail.js';
import type { HttpAnswer, HttpClient } from '../http-client.js';

/** Pages that one answer names; the most that the service gives. */
const PAGES_PER_ANSWER = 100;

const API = { 'api-version': '7.1' };

const wiki = z.object({
  id: z.string(),
  name: z.string(),
  repositoryId: z.string().nullish(),
  versions: z.array(z.object({ version: z.string() })).nullish(),
});
const wikis = z.object({ value: z.array(wiki) });
const pageNames = z.object({ value: z.array(z.object({ id: z.number(), path: z.string() })) });
const page = z.object({ path: z.string(), remoteUrl: z.string().nullish(), content: z.string().nullish() });
const refs = z.object({ value: z.array(z.object({ name: z.string(), objectId: z.string() })) });

/** A wiki of a project: its own, or a folder of a repository that was published as one. */
export type Wiki = z.infer<typeof wiki>;
/** A page by its number, which a move keeps, and where it stands: `/Runbooks/Payments`. */
export type WikiPageName = z.infer<typeof pageNames>['value'][number];
export type WikiPage = z.infer<typeof page>;

/** The requests that are made of the wikis of a project, as the official examples of Azure DevOps show them. */
export class WikiApi {
  readonly #client: HttpClient;
  readonly #project: string;

  /** @param client its base address ends with the organisation */
  constructor(client: HttpClient, project: string) {
    this.#client = client;
    this.#project = `/${encodeURIComponent(project)}/_apis`;
  }

  async wikis(signal: AbortSignal | undefined): Promise<Wiki[]> {
    const request = { path: `${this.#project}/wiki/wikis`, query: API, signal };
    return (await this.#client.json(request, wikis)).value;
  }

  /** Every page of a wiki, in the order of their numbers. */
  async pages(wikiId: string, signal: AbortSignal | undefined): Promise<WikiPageName[]> {
    const path = `${this.#pathOf(wikiId)}/pagesBatch`;
    const all: WikiPageName[] = [];
    const trail = new AnswerTrail(path);
    for (let token: string | undefined; ; ) {
      const body = { top: PAGES_PER_ANSWER, ...(token === undefined ? {} : { continuationToken: token }) };
      const answer = await this.#client.fetch({ path, query: API, body, signal });
      const { value } = this.#client.parse(answer, pageNames);
      all.push(...value);
      const next = answer.headers['x-ms-continuationtoken'];
      // The last answer may carry a token too: then the one after it is empty.
      if (next === undefined || next === token || value.length === 0) return all;
      trail.follow(next);
      token = next;
    }
  }

  /** What changes with every edit of the page's text. */
  async pageVersion(wikiId: string, pageId: number, signal: AbortSignal | undefined): Promise<string> {
    const path = `${this.#pathOf(wikiId)}/pages/${pageId}`;
    return entityTag(await this.#client.fetch({ path, query: API, signal }));
  }

  /** A page with its text in Markdown. */
  page(wikiId: string, pageId: number, signal: AbortSignal | undefined): Promise<WikiPage> {
    const path = `${this.#pathOf(wikiId)}/pages/${pageId}`;
    return this.#client.json({ path, query: { includeContent: 'True', ...API }, signal }, page);
  }

  /** The last commit of the branch that a wiki is read from; undefined where there is no such branch. */
  async lastCommit(
    { repositoryId, branch }: { readonly repositoryId: string; readonly branch: string },
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const path = `${this.#project}/git/repositories/${encodeURIComponent(repositoryId)}/refs`;
    const query = { filter: `heads/${branch}`, ...API };
    // The filter names the beginning: `heads/main` finds `heads/mainland` too.
    const { value } = await this.#client.json({ path, query, signal }, refs);
    return value.find(({ name }) => name === `refs/heads/${branch}`)?.objectId;
  }

  #pathOf(wikiId: string): string {
    return `${this.#project}/wiki/wikis/${encodeURIComponent(wikiId)}`;
  }
}

function entityTag({ headers, url }: HttpAnswer): string {
  const tag = headers.etag?.replace(/^W\//, '').replaceAll('"', '');
  if (tag !== undefined && tag !== '') return tag;
  const address = url.origin + url.pathname;
  throw new RAGError(
    'SOURCE_REJECTED',
    `${address} answered without an ETag, so nobody can tell whether the page changed. Does something between here and the service remove the header? includeWikis: false leaves wikis out.`,
    { details: { address } },
  );
}
