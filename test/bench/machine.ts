// Names the machine that figures come from.
import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';

export interface Machine {
  cores: number;
  cpu: string;
  memoryGb: number;
  kernel: string;
  node: string;
  commit: string | null;
}

/** Describes this machine and the source that runs on it. */
export function describeMachine(): Machine {
  const list = cpus();
  return {
    cores: list.length,
    cpu: list[0]?.model.trim() ?? 'unknown processor',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: `${process.platform} ${release()}`,
    node: process.version,
    commit: commit(),
  };
}

/** `null` in a source archive without git. */
function commit(): string | null {
  try {
    const words = ['rev-parse', '--short', 'HEAD'];
    return execFileSync('git', words, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}

/** One line for a table's heading. */
export const machineLine = ({ cores, cpu, memoryGb, kernel, node, commit }: Machine): string =>
  `${cores} cores, ${cpu}, ${memoryGb} GB, ${kernel}, Node ${node.slice(1)}${commit === null ? '' : `, commit ${commit}`}`;
