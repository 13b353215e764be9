import { ServiceError } from 'ragstone/client';

/** Runs a command of this example. What the service refuses is one sentence and exit code 1. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!ServiceError.isInstance(error)) throw error;
    console.error(`${error.reason}: ${error.message}`);
    process.exitCode = 1;
  }
}
