import { expect, test } from 'vitest';
import { withWholeWords } from './broken-words.js';

test.each([
  ['use the spectro-\nphotometer daily', 'use the spectrophotometer\ndaily'],
  ['the qualifi\u00ad\ncation of staff', 'the qualification\nof staff'],
  ['Prü-\nfung und Über\u2010\ngabe', 'Prüfung\nund Übergabe'],
  ['it is well-known. A well-\nknown rule', 'it is well-known. A well-known\nrule'],
  ['read it only once: read-\nonly files', 'read it only once: read-only\nfiles'],
  ['run it with --dry-\nrun first', 'run it with --dry-run\nfirst'],
  ['the kube-api-\nserver starts', 'the kube-api-server\nstarts'],
  ['the kube-\napi-server starts', 'the kube-api-server starts'],
  ['set max_retry-\ncount to 3', 'set max_retry-count\nto 3'],
  ['set retry-\nmax_count to 3', 'set retry-max_count to 3'],
  ['see https://a.example/read-\nme now', 'see https://a.example/read-me\nnow'],
  ['a third of the party: third-\nparty code', 'a third of the party: third-party\ncode'],
  ['third-rate, one-party: third-\nparty code', 'third-rate, one-party: third-party\ncode'],
  ['send an e-\nmail today', 'send an e-mail\ntoday'],
  [
    'the kube-proxy, the kube-scheduler and the kube-\napiserver',
    'the kube-proxy, the kube-scheduler and the kube-apiserver',
  ],
  ['a self-test and self-care: the self-\nhosted one', 'a self-test and self-care: the self-hosted\none'],
  ['edge-tier and web-tier: the mail-\ntier', 'edge-tier and web-tier: the mail-tier'],
  ['a multi-part form: the multi-\nplication', 'a multi-part form: the multiplication'],
  ['re-use and re-run: a re-\ncalibration', 're-use and re-run: a recalibration'],
  ['self-test, self-care, selfish: a self-\nish act', 'self-test, self-care, selfish: a selfish\nact'],
  ['US-Spektro-\nmeter', 'US-Spektrometer'],
  ['an understanding to stand under-\nstanding', 'an understanding to stand understanding'],
  ['repeated after every trans-\nport. Certificates', 'repeated after every transport.\nCertificates'],
  ['(see the quali-\nfication), then', '(see the qualification),\nthen'],
  ['after trans-\nport.\nCertificates', 'after transport.\nCertificates'],
])('a word that its lines divide is whole: %j', (text, whole) => {
  expect(withWholeWords([text])).toEqual([whole]);
});

test.each(['10-\n20 bar', 'ABC-\n123', 'the Rhine-\nMain area', 'a -\nb', 'x-\ny', 'no break'])(
  'what is no divided word stays: %j',
  (text) => {
    expect(withWholeWords([text])).toEqual([text]);
  },
);

test('what other pages write counts', () => {
  expect(withWholeWords(['a self-\ntest', 'the self-test'])).toEqual(['a self-test', 'the self-test']);
});

test('long pages take time in proportion', () => {
  const page = `${'a'.repeat(200_000)}-\n${'b-\n'.repeat(100_000)}`;
  expect(withWholeWords([page])).toEqual([page]);
});
