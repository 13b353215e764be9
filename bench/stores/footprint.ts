import { readdirSync, readFileSync } from 'node:fs';

const KIB_PER_MIB = 1024;

/**
 * Memory of a process and all that it started, in MiB, without another one and what that started. Proportional set size:
 * what processes share, as PostgreSQL's buffers, counts once. Linux only; undefined elsewhere.
 */
export function memoryOfTree(root: number, without?: number): number | undefined {
  try {
    const children = childrenByParent();
    const excluded = new Set(without === undefined ? [] : treeOf(without, children));
    const kibibytes = treeOf(root, children)
      .filter((pid) => !excluded.has(pid))
      .reduce((sum, pid) => sum + proportionalKib(pid), 0);
    return Math.round(kibibytes / KIB_PER_MIB);
  } catch {
    return undefined;
  }
}

function childrenByParent(): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = parentOf(entry);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  return children;
}

function parentOf(pid: string): number | undefined {
  try {
    // After the name, which is in brackets and may hold any character: state, then the parent.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

const treeOf = (root: number, children: ReadonlyMap<number, readonly number[]>): number[] => [
  root,
  ...(children.get(root) ?? []).flatMap((child) => treeOf(child, children)),
];

function proportionalKib(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
