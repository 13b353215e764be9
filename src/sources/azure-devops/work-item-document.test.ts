import { expect, test } from 'vitest';
import type { WorkItem } from './azure-devops-api.js';
import { workItemDocument } from './work-item-document.js';

const OPTIONS = {
  comments: [],
  fields: [],
  groups: ['*'],
  metadata: {},
  url: 'https://dev.example/1',
};
const FIELDS = {
  'System.Title': 'The archive',
  'System.WorkItemType': 'Bug',
  'System.AreaPath': 'Shop\\Zirconflorin',
  'System.AreaLevel2': 'Zirconflorin',
  'System.NodeName': 'Zirconflorin',
  'System.IterationPath': 'Shop\\Sprint',
  'System.IterationLevel2': 'Sprint',
  'System.AssignedTo': { displayName: 'Quagganote' },
  'System.CreatedBy': { displayName: 'Ann Poe' },
  'System.CreatedDate': '2020-01-02T00:00:00Z',
  'System.ChangedDate': '2021-01-02T00:00:00Z',
  'System.Reason': 'Wombatsong',
  'System.Parent': 77,
};
const RELATIONS = [{ rel: 'System.LinkTypes.Hierarchy-Reverse', url: 'https://dev.example/workItems/77' }];
const ITEM = { id: 1, rev: 5, fields: FIELDS, relations: RELATIONS } as unknown as WorkItem;

test.each([
  ['area', /Zirconflorin/],
  ['areaPath', /Zirconflorin/],
  ['System_AreaPath', /Zirconflorin/],
  ['System_NodeName', /Zirconflorin/],
  ['iteration', /Sprint/],
  ['iterationPath', /Sprint/],
  ['System_IterationLevel2', /Sprint/],
  ['assignee', /Quagganote/],
  ['System_AssignedTo', /Quagganote/],
  ['author', /Ann Poe/],
  ['System_CreatedBy', /Ann Poe/],
  ['reason', /Wombatsong/],
  ['System_Reason', /Wombatsong/],
  ['parent', /77/],
  ['links', /77/],
  ['linkTypes', /77/],
  ['System_Parent', /77/],
  ['workItemType', /Bug/],
  ['System_WorkItemType', /Bug/],
  ['System_CreatedDate', /2020-01/],
  ['System_ChangedDate', /2021-01/],
])('a marked field has its value under no other name: %s', (field, value) => {
  const fields = Object.keys(FIELDS);
  const marked = workItemDocument(ITEM, { ...OPTIONS, fields, markedFields: [field] });
  expect(JSON.stringify(marked.metadata[field])).toMatch(value);
  const { [field]: _, ...others } = marked.metadata;
  expect(JSON.stringify({ ...marked, metadata: others })).not.toMatch(value);
  const open = workItemDocument(ITEM, { ...OPTIONS, fields, markedFields: ['salary'] });
  expect(JSON.stringify({ ...open, metadata: { ...open.metadata, [field]: '' } })).toMatch(value);
});

test.each(['author', 'System_CreatedBy'])('a comment names nobody where %s is marked', (field) => {
  const comments = [
    { id: 1, text: 'Done.', createdBy: { displayName: 'Cor' }, createdDate: '2020-01-02T00:00:00Z' },
  ];
  const content = (markedFields: string[]) =>
    workItemDocument(ITEM, { ...OPTIONS, comments: comments, markedFields }).content;
  expect(content(['state'])).toContain('Comment by Cor, 2020-01-02');
  expect(content([field])).not.toContain('Cor');
  expect(content([field])).toContain('<h3>Comment, 2020-01-02</h3>');
});

test('a marked field is metadata, however long, and stands in no text', () => {
  const long = `zirconflorin ${'and more '.repeat(20)}`;
  const item = {
    id: 1,
    rev: 1,
    fields: {
      'System.Title': 'The archive',
      'System.WorkItemType': 'Quagganote',
      'System.Description': 'Ann works here.',
      'Custom.Band': long,
    },
  } as unknown as WorkItem;
  const options = {
    comments: [],
    fields: ['System.Description', 'Custom.Band'],
    groups: ['*'],
    metadata: {},
    url: 'https://dev.example/1',
  };
  const marked = workItemDocument(item, { ...options, markedFields: ['Custom_Band', 'workItemType'] });
  expect(marked.content).toContain('Ann works here.');
  expect(marked.content).not.toMatch(/zirconflorin|Quagganote/);
  expect(marked.metadata).toMatchObject({ Custom_Band: long, workItemType: 'Quagganote' });
  const open = workItemDocument(item, { ...options, markedFields: [] });
  expect(open.content).toMatch(/zirconflorin/);
  expect(open.metadata).not.toHaveProperty('Custom_Band');
});
