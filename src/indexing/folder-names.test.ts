import { posix, win32 } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderOfName, nameOfFolder } from './folder-names.js';

describe('on Windows', () => {
  test.each([
    ['C:\\work\\docs', 'C:\\work', 'path:docs'],
    ['C:\\work\\docs\\api', 'C:\\work', 'path:docs/api'],
    ['C:\\work', 'C:\\work', 'path:.'],
    ['c:\\Work\\docs', 'C:\\work', 'path:docs'],
    ['C:\\work-other', 'C:\\work', 'path:C:\\work-other'],
    ['C:\\work\\..docs', 'C:\\work', 'path:..docs'],
    ['D:\\docs', 'C:\\work', 'path:D:\\docs'],
    ['d:\\docs', 'C:\\work', 'path:D:\\docs'],
    ['\\\\server\\share\\docs', 'C:\\work', 'path:\\\\server\\share\\docs'],
    ['c:\\work\\docs', undefined, 'path:C:\\work\\docs'],
  ])('%s in an index of %s is %s, and leads back', (real, project, name) => {
    expect(nameOfFolder(real, project, win32)).toBe(name);
    expect(win32.relative(folderOfName(name, project, win32) ?? '', real)).toBe('');
  });

  test('a name without a drive leads nowhere without a project', () => {
    expect(folderOfName('path:docs', undefined, win32)).toBeUndefined();
    expect(folderOfName('docs', 'C:\\work', win32)).toBeUndefined();
  });
});

test.each([
  ['/work/docs', '/work', 'path:docs'],
  ['/work/Docs', '/work', 'path:Docs'],
  ['/work', '/work', 'path:.'],
  ['/work/..docs', '/work', 'path:..docs'],
  ['/other/docs', '/work', 'path:/other/docs'],
  ['/work/docs', undefined, 'path:/work/docs'],
])('%s in an index of %s is %s, and leads back', (real, project, name) => {
  expect(nameOfFolder(real, project, posix)).toBe(name);
  expect(folderOfName(name, project, posix)).toBe(real);
});
