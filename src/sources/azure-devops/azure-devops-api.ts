import * as z from 'zod';
import { AnswerTrail } from '../answer-trail.js';
import type { HttpClient } from '../http-client.js';
import { statusOf } from '../http-errors.js';

/** Work items that one request may name. */
export const BATCH_SIZE = 200;
/** Work items that one query may find; more is an error of the service. */
export const QUERY_LIMIT = 20_000;

const API = { 'api-version': '7.1' };
const COMMENTS_API = { 'api-version': '7.1-preview.4' };

const identity = z.object({ displayName: z.string(), uniqueName: z.string().nullish() });
const found = z.object({ workItems: z.array(z.object({ id: z.number() })) });
const versions = z.object({
  value: z.array(
    z.object({ id: z.number(), rev: z.number(), fields: z.object({ 'System.Watermark': z.number() }) }),
  ),
});
const workItem = z.object({
  id: z.number(),
  rev: z.number(),
  fields: z.record(z.string(), z.unknown()),
  relations: z.array(z.object({ rel: z.string(), url: z.string() })).nullish(),
});
const comments = z.object({
  comments: z.array(
    z.object({
      text: z.string(),
      createdBy: identity,
      createdDate: z.string(),
      isDeleted: z.boolean().nullish(),
    }),
  ),
  continuationToken: z.string().nullish(),
});

export interface ItemVersion {
  readonly id: number;
  readonly revision: number;
  /** Grows with every change of any item of the organisation. */
  readonly watermark: number;
}

export type WorkItem = z.infer<typeof workItem>;
export type WorkItemComment = z.infer<typeof comments>['comments'][number];

/** The requests that are made of Azure DevOps, as its official examples show them. */
export class AzureDevOpsApi {
  readonly #client: HttpClient;

  /** @param client its base address ends with the organisation */
  constructor(client: HttpClient) {
    this.#client = client;
  }

  /** Ids of work items in the order of the query (WIQL). */
  async query(wiql: string, signal: AbortSignal | undefined): Promise<number[]> {
    const request = { path: '/_apis/wit/wiql', query: API, body: { query: wiql }, signal };
    return (await this.#client.json(request, found)).workItems.map(({ id }) => id);
  }

  /** Revisions of at most `BATCH_SIZE` items; those that are not there are left out. */
  versions(ids: readonly number[], signal: AbortSignal | undefined): Promise<ItemVersion[]> {
    return withoutMissing(ids, async (part) => {
      const body = { ids: part, fields: ['System.Id', 'System.Rev', 'System.Watermark'] };
      const request = { path: '/_apis/wit/workItemsBatch', query: API, body, signal };
      return (await this.#client.json(request, versions)).value.map(({ id, rev, fields }) => ({
        id,
        revision: rev,
        watermark: fields['System.Watermark'],
      }));
    });
  }

  /** At most `BATCH_SIZE` items with all fields and relations; those that are not there are left out. */
  workItems(ids: readonly number[], signal: AbortSignal | undefined): Promise<WorkItem[]> {
    return withoutMissing(ids, async (part) => {
      const query = { ids: part.join(','), $expand: 'all', ...API };
      return (
        await this.#client.json(
          { path: '/_apis/wit/workitems', query, signal },
          z.object({ value: z.array(workItem) }),
        )
      ).value;
    });
  }

  /** Comments of an item that are not deleted, oldest first. */
  async comments(project: string, id: number, signal: AbortSignal | undefined): Promise<WorkItemComment[]> {
    const path = `/${encodeURIComponent(project)}/_apis/wit/workItems/${id}/comments`;
    const all: WorkItemComment[] = [];
    const trail = new AnswerTrail(path);
    let position: Readonly<Record<string, string | number>> = { $top: BATCH_SIZE };
    for (;;) {
      const answer = await this.#client.json(
        { path, query: { ...position, ...COMMENTS_API }, signal },
        comments,
      );
      all.push(...answer.comments.filter(({ isDeleted }) => isDeleted !== true));
      if (answer.continuationToken == null || answer.comments.length === 0) break;
      trail.follow(answer.continuationToken);
      position = { continuationToken: answer.continuationToken };
    }
    return all.sort((a, b) => Date.parse(a.createdDate) - Date.parse(b.createdDate));
  }
}

/** The service refuses a whole batch for one item that has gone: then each half is asked for, down to the one. */
async function withoutMissing<T>(
  ids: readonly number[],
  ask: (ids: readonly number[]) => Promise<T[]>,
): Promise<T[]> {
  if (ids.length === 0) return [];
  try {
    return await ask(ids);
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    if (ids.length === 1) return [];
    const middle = ids.length >> 1;
    return [
      ...(await withoutMissing(ids.slice(0, middle), ask)),
      ...(await withoutMissing(ids.slice(middle), ask)),
    ];
  }
}
