import { readFileSync } from 'node:fs';
import type { Anchor } from '#platform/audit/index.ts';
import type { AuditVerdict } from '#platform/audit/view.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { withAudit } from './twin.ts';

/** `appctl audit verify`: ends with 6 when an entry is not what was written. */
export async function verifyAudit(cli: Cli): Promise<number> {
  const file = cli.option('anchor');
  const anchor = file === undefined ? undefined : await readAnchor(file);
  return withAudit(cli, async (desk) => {
    const verdict = await desk.post<AuditVerdict>('audit-log/verify', { anchor });
    await cli.out.value(verdict, () => inWords(verdict));
    return verdict.ok ? exits.done : exits.verificationFailed;
  });
}

/** @throws usage error (2) for a file that is none of ours */
async function readAnchor(path: string): Promise<Anchor> {
  const { AnchorFile } = await import('./schemas.ts');
  const hint = 'appctl audit verify --json > anchor.json creates one';
  try {
    return AnchorFile.parse(JSON.parse(readFileSync(path, 'utf8'))).head;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === undefined ? 'is not what audit verify --json prints' : `cannot be read (${code})`;
    throw usageError(`--anchor: ${path} ${why}`, hint);
  }
}

function inWords({ ok, checked, brokenAt, fault, from, head }: AuditVerdict): string {
  if (!ok) return `BROKEN at entry ${brokenAt}: ${fault}\n${checked} entries before it are intact`;
  const range = checked === 0 ? 'the audit log is empty' : `entries ${from} to ${head.seq} are intact`;
  return `${range}\nend of the log: ${head.seq} ${head.hash}`;
}
