// `--import ./bench/built.mjs`: programs here import `../src/...` for its types and run `../dist/...`, what `npm run build`
// made, so that what is measured is what is shipped.
import { register } from 'node:module';

const hook = `
  const bench = ${JSON.stringify(new URL('./', import.meta.url).href)};
  export function resolve(specifier, context, next) {
    const isOurs = context.parentURL?.startsWith(bench) && /^(?:\\.\\.\\/)+src\\//.test(specifier);
    return next(isOurs ? specifier.replace('/src/', '/dist/') : specifier, context);
  }
`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
