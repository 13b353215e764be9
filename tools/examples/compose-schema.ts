import { parse } from 'yaml';
import * as z from 'zod';

// As the Compose specification has them; whatever else one of our files comes to use is added here.
const duration = z.string().regex(/^(?:\d+(?:us|ms|s|m|h))+$/);
const size = z.string().regex(/^\d+[bkmg]$/);
const name = z.string().regex(/^[\w.-]+$/);

const serviceSchema = z.strictObject({
  /** With a version to its last number, so that it is the same tomorrow. */
  image: z.string().regex(/^[\w./-]+:v?\d+\.\d+\.\d+[\w.-]*$/),
  build: z.string().optional(),
  environment: z.record(z.string(), z.string()).optional(),
  command: z.union([z.string(), z.array(z.string())]).optional(),
  depends_on: z
    .union([
      z.array(name),
      z.record(name, z.strictObject({ condition: z.enum(['service_started', 'service_healthy']) })),
    ])
    .optional(),
  /** For this machine alone: none of these servers is made for others. A range is for several containers of a service. */
  ports: z.array(z.string().regex(/^127\.0\.0\.1:\d+(?:-\d+)?:\d+$/)).default([]),
  /** A volume, a path beside the file, or one that a variable names; what is not the service's own to write is mounted read-only. */
  volumes: z
    .array(z.string().regex(/^(?:[\w-]+|\.\/[\w./-]+|\$\{\w+:-\.\/[\w./-]+\}):\/[\w./-]+(?::ro)?$/))
    .optional(),
  tmpfs: z.array(z.string().startsWith('/')).optional(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.literal('ALL')).optional(),
  security_opt: z.array(z.literal('no-new-privileges:true')).optional(),
  mem_limit: size.optional(),
  shm_size: size.optional(),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']).optional(),
  stop_grace_period: duration.optional(),
  deploy: z.strictObject({ replicas: z.int().positive() }).optional(),
  healthcheck: z
    .union([
      z.strictObject({ disable: z.literal(true) }),
      z.strictObject({
        test: z.tuple([z.enum(['CMD', 'CMD-SHELL'])], z.string()),
        interval: duration.optional(),
        retries: z.int().positive().optional(),
      }),
    ])
    .optional(),
});

const composeSchema = z.strictObject({
  name: z.string().regex(/^[a-z\d][a-z\d_-]*$/),
  services: z.record(name, serviceSchema),
  volumes: z.record(z.string(), z.null()).optional(),
});

export type ComposeFile = z.infer<typeof composeSchema>;
export type ComposeService = z.infer<typeof serviceSchema>;

/** A file of Docker Compose, without the blocks that it only refers to (`x-...`). */
export function parseCompose(text: string): ComposeFile {
  const file = parse(text, { merge: true }) as object;
  return composeSchema.parse(
    Object.fromEntries(Object.entries(file).filter(([key]) => !key.startsWith('x-'))),
  );
}
