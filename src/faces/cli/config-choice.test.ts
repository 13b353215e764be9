import { describe, expect, test } from 'vitest';
import { parseConfigChoice } from './config-choice.js';

describe('a configuration named on a command line', () => {
  test('is the current one, or a file', () => {
    expect(parseConfigChoice('current')).toEqual({ name: 'current' });
    expect(parseConfigChoice('a.yaml')).toEqual({ name: 'a.yaml', configFile: 'a.yaml' });
    expect(parseConfigChoice('b=c/d.yml')).toEqual({ name: 'b=c/d.yml', configFile: 'b=c/d.yml' });
  });

  test('or settings over the current one, typed as YAML types them', () => {
    expect(
      parseConfigChoice(
        'rag.retrieval.rerank.enabled=true,retrieval.fusion.k=20,chunking.splitOn=["a", "b"],retrieval.fusion.method=rrf',
      ).overrides,
    ).toEqual({
      retrieval: { rerank: { enabled: true }, fusion: { k: 20, method: 'rrf' } },
      chunking: { splitOn: ['a', 'b'] },
    });
  });

  test.each(['=1', 'a..b=1', '.a=1', 'a=1,b', '__proto__.a=1'])('"%s" is refused', (text) => {
    expect(() => parseConfigChoice(text)).toThrow(/KEY=VALUE/);
  });
});
