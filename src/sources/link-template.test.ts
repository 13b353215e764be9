import { describe, expect, test } from 'vitest';
import { loadConfig } from '../config/load-config.js';

const GIT = { name: 'code', type: 'git' } as const;
const SQL = {
  name: 'bugs',
  type: 'sql',
  path: 'bugs.db',
  table: 'bugs',
  key: 'id',
  text: '{title}',
} as const;

describe.each([
  ['Git', GIT],
  ['SQL', SQL],
])('the link of a %s source', (_, source) => {
  const load = (link: string) => loadConfig({ config: { sources: [{ ...source, link }] } });

  test.each([
    'javascript:alert(1)',
    'JavaScript://%0Aalert({path})',
    'data:text/html,{path}',
    'vbscript:{path}',
    'file:///{path}',
    'ftp://git.example/{path}',
    '{path}',
    '//git.example/{path}',
    '/{path}',
    'https://{path}',
    'https://git.example{path}',
    'https://{path}@git.example/',
    'https:///{path}',
    'https:{path}',
    ' https://git.example/{path}',
    'https://git.\texample/{path}',
    'https://git.example\\@evil.example/{path}',
  ])('is refused where it leads elsewhere than to a host of the web: %s', async (link) => {
    await expect(load(link)).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
      message: expect.stringContaining('must begin with https:// or http:// and a host'),
    });
  });

  test.each([
    'https://git.example/{commit}/{path}',
    'HTTP://git.example:8443/a?file={path}#{commit}',
    'https://git.example',
  ])('may be %s', async (link) => {
    expect((await load(link)).rag.sources[0]).toMatchObject({ link });
  });
});
