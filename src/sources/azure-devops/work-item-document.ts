import type { RawDocument } from '../../core/document.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import {
  foldedName,
  isMarkedName,
  type Metadata,
  type MetadataScalar,
  type MetadataValue,
} from '../../core/metadata.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import { escapeText, isoTime } from '../text-values.js';
import type { WorkItem, WorkItemComment } from './azure-devops-api.js';

/** Long texts of the usual processes, in reading order, and their headings. */
const TEXT_FIELDS: ReadonlyMap<string, string> = new Map([
  ['System.Description', 'Description'],
  ['Microsoft.VSTS.TCM.ReproSteps', 'Repro steps'],
  ['Microsoft.VSTS.TCM.SystemInfo', 'System info'],
  ['Microsoft.VSTS.Common.AcceptanceCriteria', 'Acceptance criteria'],
  ['Microsoft.VSTS.Common.Resolution', 'Resolution'],
]);

/** Fields with a metadata field of their own, or none. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...TEXT_FIELDS.keys(),
  'System.Title',
  'System.Tags',
  'System.Id',
]);

/** Names of metadata that say the same, or a part of it, as `foldedName` folds them. */
const SAME_VALUES: readonly RegExp[] = [
  /^(?:area|areapath|systemarea\w*|systemnodename)$/,
  /^(?:iteration|iterationpath|systemiteration\w*)$/,
  /^(?:assignee|systemassignedto)$/,
  /^(?:author|systemcreatedby)$/,
  /^(?:createdat|systemcreateddate)$/,
  /^(?:updatedat|systemchangeddate)$/,
  /^(?:workitemtype|systemworkitemtype)$/,
  /^(?:workitemrevision|systemrev)$/,
  /^(?:state|systemstate)$/,
  /^(?:reason|systemreason)$/,
  /^(?:priority|microsoftvstscommonpriority)$/,
  /^(?:severity|microsoftvstscommonseverity)$/,
  /^(?:commentcount|systemcommentcount)$/,
  /^(?:parent|link|linktype|systemparent)$/,
];

/** Whether a name, or another one of the same value, is marked. */
const isWithheld = (name: string, marked: readonly string[]): boolean =>
  isMarkedName(name, marked) ||
  SAME_VALUES.some(
    (names) => names.test(foldedName(name)) && marked.some((field) => names.test(foldedName(field))),
  );

export interface WorkItemDocumentOptions {
  readonly comments: readonly WorkItemComment[];
  /** Fields to read beside those that are always read; empty: the usual long texts. */
  readonly fields: readonly string[];
  readonly groups: readonly string[];
  /** Metadata fields that stand in no text, and whose values have no other name. */
  readonly markedFields: readonly string[];
  readonly metadata: Metadata;
  /** Address for people. */
  readonly url: string;
}

/** A work item as a document: its long texts and comments, and its fields as metadata with types that filters reach. */
export function workItemDocument(item: WorkItem, options: WorkItemDocumentOptions): RawDocument {
  const { fields } = item;
  const { markedFields } = options;
  const timeOf = (name: string, field: string): string | undefined =>
    isWithheld(name, markedFields) ? undefined : isoTime(text(fields[field]));
  const createdAt = timeOf('createdAt', 'System.CreatedDate');
  const updatedAt = timeOf('updatedAt', 'System.ChangedDate');
  const own = Object.entries({ ...metadataOf(item), ...extraFields(item, options) });
  const told = own.filter(([name]) => isMarkedName(name, markedFields) || !isWithheld(name, markedFields));
  const title = text(fields['System.Title']) ?? '';
  return {
    externalId: String(item.id),
    mediaType: MEDIA_TYPES.html,
    content: contentOf(item, title, options),
    title,
    url: options.url,
    ...withoutUndefined({ createdAt, updatedAt }),
    metadata: { ...options.metadata, ...Object.fromEntries(told) },
    access: { groups: options.groups, level: 0 },
  };
}

function contentOf(
  item: WorkItem,
  title: string,
  { fields, comments, markedFields }: WorkItemDocumentOptions,
): string {
  const wanted =
    fields.length === 0 ? [...TEXT_FIELDS.keys()] : fields.filter((name) => !NEVER_TEXT.has(name));
  const sections = wanted
    .filter((name) => !isWithheld(metadataName(name), markedFields))
    .flatMap((name) => {
      const value = item.fields[name];
      if (typeof value !== 'string' || value.trim() === '' || (!TEXT_FIELDS.has(name) && !isLong(value)))
        return [];
      return `<h2>${escapeText(TEXT_FIELDS.get(name) ?? name.split('.').at(-1) ?? name)}</h2>${asHtml(value)}`;
    });
  const said = comments.map(({ text: words, createdBy, createdDate }) => {
    const by = isWithheld('author', markedFields) ? '' : ` by ${createdBy.displayName}`;
    return `<h3>${escapeText(`Comment${by}, ${createdDate.slice(0, 10)}`)}</h3>${asHtml(words)}`;
  });
  const known = isWithheld('workItemType', markedFields)
    ? undefined
    : text(item.fields['System.WorkItemType']);
  const type = known ?? 'Work item';
  const heading = `<h1>${escapeText(`${type} ${item.id}: ${title}`)}</h1>`;
  return [heading, ...sections, ...(said.length === 0 ? [] : ['<h2>Comments</h2>', ...said])].join('\n');
}

const NEVER_TEXT: ReadonlySet<string> = new Set(['System.Title', 'System.Tags', 'System.Id']);
const isLong = (value: string): boolean => value.length > 100 || /<[a-z]/i.test(value);

/** Texts of newer items may be Markdown or plain: what has no element keeps its lines. */
const asHtml = (value: string): string =>
  /<\/?[a-z][^>]*>/i.test(value)
    ? `<div>${value}</div>`
    : `<p>${escapeText(value).replaceAll(/\r?\n/g, '<br>')}</p>`;

function metadataOf({ id, rev, fields, relations }: WorkItem): Metadata {
  const optional = (entries: Readonly<Record<string, MetadataValue | undefined>>): Metadata =>
    Object.fromEntries(
      Object.entries(entries).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    );
  const links = linksOf(relations ?? []);
  const area = text(fields['System.AreaPath']);
  const iteration = text(fields['System.IterationPath']);
  return optional({
    workItemId: id,
    workItemRevision: rev,
    workItemType: text(fields['System.WorkItemType']),
    state: text(fields['System.State']),
    reason: text(fields['System.Reason']),
    priority: number(fields['Microsoft.VSTS.Common.Priority']),
    severity: text(fields['Microsoft.VSTS.Common.Severity']),
    area,
    areaPath: area === undefined ? undefined : prefixesOf(area),
    iteration,
    iterationPath: iteration === undefined ? undefined : prefixesOf(iteration),
    assignee: person(fields['System.AssignedTo']),
    author: person(fields['System.CreatedBy']),
    tags: (text(fields['System.Tags']) ?? '')
      .split(';')
      .flatMap((tag) => (tag.trim() === '' ? [] : [tag.trim()])),
    links: links.map(({ target }) => target),
    linkTypes: links.map(({ type, target }) => `${type}:${target}`),
    parent: links.find(({ type }) => type === 'Hierarchy-Reverse')?.target,
    commentCount: number(fields['System.CommentCount']) ?? 0,
  });
}

/** Every level of a path, so that a filter on `Fabrikam\Payments` reaches what lies below. */
const prefixesOf = (path: string): string[] => {
  const parts = path.split('\\');
  return parts.map((_, index) => parts.slice(0, index + 1).join('\\'));
};

/** Links to other work items: `System.LinkTypes.Hierarchy-Reverse` is `Hierarchy-Reverse`. */
const linksOf = (relations: readonly { rel: string; url: string }[]): { type: string; target: number }[] =>
  relations.flatMap(({ rel, url }) => {
    const id = /\/workItems\/(\d+)$/i.exec(url)?.[1];
    return id === undefined ? [] : [{ type: rel.split('.').slice(2).join('.') || rel, target: Number(id) }];
  });

/** Other fields that the settings name: `Custom.Team` becomes `Custom_Team`, because a dot reaches inside. */
function extraFields(
  { fields }: WorkItem,
  { fields: names, markedFields }: WorkItemDocumentOptions,
): Metadata {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = KNOWN_FIELDS.has(name) ? undefined : (scalar(fields[name]) ?? person(fields[name]));
      const isText =
        typeof value === 'string' && isLong(value) && !isWithheld(metadataName(name), markedFields);
      return value === undefined || isText ? [] : [[metadataName(name), value]];
    }),
  );
}

const metadataName = (field: string): string => field.replaceAll('.', '_');

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const scalar = (value: unknown): MetadataScalar | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;

function person(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return text(value);
  return 'displayName' in value ? text(value.displayName) : undefined;
}
