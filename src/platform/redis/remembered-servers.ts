import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { DATA_FILES } from '../../core/data-folder.js';
import { isoNow, runtime } from '../../core/runtime.js';
import { makePrivateFolder, PRIVATE_FILE } from '../security/private-files.js';
import { readRegularFileSync } from '../security/regular-file.js';

/** How long a server keeps what a service gives it, in seconds. */
export const KEPT_BY_SERVICES = 3_600;

const servers = z.array(
  z.object({
    /** The setting that named it. */
    setting: z.string(),
    /** Host, port and database, without user and password. */
    server: z.string(),
    /** How long it keeps what it is given, in seconds. */
    ttl: z.number(),
    /** When it was first seen that the setting names it no more, as an ISO time. */
    since: z.string().optional(),
  }),
);

/** A Redis server that an index was used with. */
export type RememberedServer = z.output<typeof servers>[number];

/** Writes down in a data folder which server a setting names, so that it can be told of once it is named no more. */
export function rememberServer(
  dataDir: string,
  { setting, url, ttl }: { readonly setting: string; readonly url: string; readonly ttl: number },
): void {
  const { host, pathname } = new URL(url);
  const named = { setting, server: host + pathname.replace(/^\/$/, ''), ttl };
  const known = rememberedServers(dataDir);
  const others = known
    .filter((each) => each.setting !== setting || each.server !== named.server)
    .map((each) => (each.setting === setting ? withSince(each) : each));
  write(dataDir, known, [...others, named]);
}

/** Servers that settings named and name no more, and that may still keep what they were given. Hold the writer lock. */
export function earlierServers(dataDir: string, isNamed: (setting: string) => boolean): RememberedServer[] {
  const known = rememberedServers(dataDir);
  const now = runtime().now();
  const kept = known
    .map((each) => (isNamed(each.setting) ? each : withSince(each)))
    .filter(({ since, ttl }) => since === undefined || Date.parse(since) + ttl * 1_000 > now);
  write(dataDir, known, kept);
  return kept.filter(({ since }) => since !== undefined);
}

const withSince = (server: RememberedServer): RememberedServer => ({
  since: isoNow(),
  ...server,
});

function rememberedServers(dataDir: string): RememberedServer[] {
  const path = join(dataDir, DATA_FILES.servers);
  return existsSync(path) ? servers.parse(JSON.parse(readRegularFileSync(path).toString('utf8'))) : [];
}

/** Whole or not at all; each process writes the same. */
function write(
  dataDir: string,
  before: readonly RememberedServer[],
  after: readonly RememberedServer[],
): void {
  const text = JSON.stringify(after);
  if (text === JSON.stringify(before)) return;
  makePrivateFolder(dataDir);
  const path = join(dataDir, DATA_FILES.servers);
  const draft = `${path}.${runtime().uniqueName()}`;
  writeFileSync(draft, text, { mode: PRIVATE_FILE, flush: true });
  renameSync(draft, path);
}
