import { literalPattern } from '../../core/literal-pattern.js';

/**
 * Whether a deployment may name a secret. A saved deployment names a server, too, and the secret is sent there: one that nobody
 * meant for that would be given away.
 *
 * @param patterns `rag.deployments.secrets`; a `*` stands for any text within one part of a path
 */
export function isAllowedSecret(reference: string, patterns: readonly string[]): boolean {
  // A name that leads up in a path is not where it seems to be.
  const leadsUp = reference
    .slice(reference.indexOf(':') + 1)
    .split(/[/\\]/)
    .includes('..');
  return !leadsUp && patterns.some((pattern) => fits(reference, pattern));
}

/** What is said of one that it may not name. */
export const secretNotAllowed = (reference: string): string =>
  `apiKeySecretName: ${JSON.stringify(reference)} is no secret that deployments may name. Operators of the service allow those of customers in \`rag.deployments.secrets\`, such as ["keyvault:customers/*"].`;

function fits(reference: string, pattern: string): boolean {
  const parts = pattern.split('*').map(literalPattern);
  return new RegExp(`^${parts.join('[^/\\\\]*')}$`).test(reference);
}
