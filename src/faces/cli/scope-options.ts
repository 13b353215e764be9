import type { Command } from 'commander';
import type { ScopeInput } from '../../index.js';
import { collect, wholeNumber } from './parse-options.js';

/** Whose documents, on a command line. */
export interface OwnerOptions {
  readonly tenant?: string | undefined;
  readonly project?: string | undefined;
}

/** Who asks, on a command line. */
export interface ScopeOptions extends OwnerOptions {
  readonly group?: readonly string[] | undefined;
  readonly clearance?: number | undefined;
}

/** The options that name the tenant and project of the documents, whatever their access. */
export const withOwnerOptions = (command: Command): Command =>
  command
    .option('--tenant <name>', 'whose documents (default: default)')
    .option('--project <name>', 'the project of the tenant (default: all of them)');

/** The options that say who asks. */
export const withScopeOptions = (command: Command): Command =>
  withOwnerOptions(command)
    .option('--group <name>', 'ask as a member of this group; may be repeated', collect)
    .option('--clearance <level>', 'highest security level that may be read (default: 0)', wholeNumber(0));

/** What is not stated grants nothing. */
export const toScope = ({ tenant = 'default', project, group, clearance }: ScopeOptions): ScopeInput => ({
  tenant,
  project,
  groups: group,
  clearance,
});
