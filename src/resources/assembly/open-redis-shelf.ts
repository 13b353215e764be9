import type { ConfigPath } from '../../config/config-path.js';
import { formatPath } from '../../config/config-path.js';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { resolveSecrets } from '../../config/secret-resolver.js';
import type { Secret } from '../../core/secret.js';
import { openRedis } from '../../platform/redis/open-redis.js';
import { type RedisShelf, redisShelf } from '../../platform/redis/redis-shelf.js';
import { rememberServer } from '../../platform/redis/remembered-servers.js';

/**
 * Opens the server that the setting `redis` under a path names; loads its driver and no other.
 *
 * @param what is kept there, for warnings
 * @param ttl how long, in seconds
 * @throws RAGError `SECRET_MISSING`, `PACKAGE_MISSING`, `CONFIG_INVALID`
 */
export async function openRedisShelf(
  redis: Secret,
  { path, what, ttl }: { readonly path: ConfigPath; readonly what: string; readonly ttl: number },
  config: ResolvedConfig,
): Promise<RedisShelf> {
  await resolveSecrets({ redis }, path, config);
  const setting = formatPath([...path, 'redis']);
  const url = redis.reveal();
  const connection = await openRedis({ url, setting, onChange: () => undefined });
  rememberServer(config.dataDir, { setting, url, ttl });
  return redisShelf(connection, what);
}
