// `--import` this to append the URL of every module that is loaded to the file named by RAGSTONE_MODULE_LIST.
import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

const hook = `
  import { appendFileSync } from 'node:fs';
  export async function resolve(specifier, context, next) {
    const resolved = await next(specifier, context);
    appendFileSync(process.env.RAGSTONE_MODULE_LIST, resolved.url + '\\n');
    return resolved;
  }
`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

// CommonJS modules that CommonJS modules require do not pass the hook.
process.on('exit', () => {
  const { cache } = createRequire(import.meta.url);
  for (const path of Object.keys(cache))
    appendFileSync(process.env.RAGSTONE_MODULE_LIST, `${pathToFileURL(path).href}\n`);
});
