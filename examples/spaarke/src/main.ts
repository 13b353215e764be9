/** `npm start`: the service of three tenants, with an identity provider beside it. */
import { startSpaarke } from './start-spaarke.js';

const url = process.env.DATABASE_URL;
try {
  const spaarke = await startSpaarke({
    port: Number(process.env.PORT ?? 7250),
    database: url === undefined || url === '' ? undefined : { url },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      void spaarke.stop();
    });
  for (const sentence of spaarke.deployments) console.log(sentence);
  console.log(`The knowledge service listens at ${spaarke.url}`);
  process.exitCode = (await spaarke.ended) ?? 1;
  await spaarke.stop();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
