import { expect, test } from 'vitest';
import type { WorkItem } from './azure-devops-api.js';
import { workItemDocument } from './work-item-document.js';

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
