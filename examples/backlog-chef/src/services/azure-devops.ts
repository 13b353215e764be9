import type { Respond } from './json-server.js';

/** A work item of a project. */
export interface WorkItem {
  readonly id: number;
  /** By their reference names: `System.Title`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The part of Azure DevOps' REST API (7.1) that is asked of a project without wikis, for the address `/azure`. */
export function azureDevOps(items: readonly WorkItem[], authorization: string): Respond {
  return ({ path, query, body, ...request }) => {
    if (request.authorization !== authorization) return 401;
    if (path.endsWith('/_apis/wiki/wikis')) return { value: [] };
    if (path.endsWith('/_apis/wit/wiql'))
      return { workItems: found(items, (body as { query: string }).query) };
    const ids = path.endsWith('/workItemsBatch')
      ? (body as { ids: number[] }).ids
      : (query.get('ids') ?? '').split(',').map(Number);
    const value = ids.flatMap((id) => items.find((item) => item.id === id) ?? []).map(itemOf);
    return value.length === ids.length ? { count: value.length, value } : 404;
  };
}

const itemOf = ({ id, fields }: WorkItem): object => ({
  id,
  rev: 1,
  fields: { 'System.Id': id, 'System.Rev': 1, 'System.Watermark': id, 'System.CommentCount': 0, ...fields },
});

/** Of a query in WIQL only the types count, and ids and watermarks above a number: there is one project. */
function found(items: readonly WorkItem[], wiql: string): { id: number }[] {
  const types = /\[System\.WorkItemType\] IN \(([^)]*)\)/.exec(wiql)?.[1]?.split(', ');
  const above = Math.max(
    ...[...wiql.matchAll(/\[System\.(?:Watermark|Id)\] > (\d+)/g)].map(([, number]) => Number(number)),
    0,
  );
  return items
    .filter(({ id, fields }) => id > above && (types?.includes(`'${fields['System.WorkItemType']}'`) ?? true))
    .map(({ id }) => ({ id }))
    .reverse();
}
