import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Serves models as the hub does, of any revision, until the file or group of tests ends; `folderOf` says where the one of an id lies. Resolves with its address. */
export async function openMirror(folderOf: (id: string) => string): Promise<string> {
  const mirror = createServer((request, response) => {
    const [, id = '', file = ''] = /^\/(.+)\/resolve\/[^/]+\/(.+)$/.exec(request.url ?? '') ?? [];
    const path = join(folderOf(id), file);
    if (existsSync(path)) createReadStream(path).pipe(response);
    else response.writeHead(404).end();
  });
  afterAll(() => new Promise((closed) => mirror.close(closed)));
  await new Promise<void>((listening) => mirror.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`;
}
