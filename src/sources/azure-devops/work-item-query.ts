import { RAGError } from '../../core/errors.js';
import { AnswerTrail } from '../answer-trail.js';
import { type AzureDevOpsApi, QUERY_LIMIT } from './azure-devops-api.js';

export interface ItemSelection {
  readonly project: string;
  /** Empty: all types. */
  readonly workItemTypes: readonly string[];
}

/** A text as a value of WIQL. */
const wiqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Work items of a selection for which the conditions hold, those that changed last first. */
export function wiqlOf(
  { project, workItemTypes }: ItemSelection,
  conditions: readonly string[] = [],
): string {
  const where = [
    `[System.TeamProject] = ${wiqlText(project)}`,
    ...(workItemTypes.length === 0
      ? []
      : [`[System.WorkItemType] IN (${workItemTypes.map(wiqlText).join(', ')})`]),
    ...conditions,
  ];
  return `SELECT [System.Id] FROM WorkItems WHERE ${where.join(' AND ')} ORDER BY [System.ChangedDate] DESC`;
}

/** Ids of a selection, however many there are: where one query would find too many, ranges of ids are asked for in turn. */
export async function findItems(
  api: AzureDevOpsApi,
  selection: ItemSelection,
  { conditions = [], signal }: { conditions?: readonly string[]; signal: AbortSignal | undefined },
): Promise<number[]> {
  const found: number[] = [];
  const trail = new AnswerTrail(`The query for work items of ${JSON.stringify(selection.project)}`);
  for (let after = 0; ; after += QUERY_LIMIT) {
    trail.follow(after);
    const rest = after === 0 ? [] : [`[System.Id] > ${after}`];
    const all = await tryQuery(api, wiqlOf(selection, [...conditions, ...rest]), signal);
    if (all !== undefined) return [...found, ...all];
    const range = [`[System.Id] > ${after}`, `[System.Id] <= ${after + QUERY_LIMIT}`];
    found.push(...(await api.query(wiqlOf(selection, [...conditions, ...range]), signal)));
  }
}

/** Undefined where the service refuses the query, as it does where too much is found. */
async function tryQuery(
  api: AzureDevOpsApi,
  wiql: string,
  signal: AbortSignal | undefined,
): Promise<number[] | undefined> {
  try {
    return await api.query(wiql, signal);
  } catch (error) {
    // A query that is refused for another reason is refused as a range too, and then the error is thrown.
    if (RAGError.isInstance(error) && error.reason === 'SOURCE_REJECTED') return undefined;
    throw error;
  }
}
