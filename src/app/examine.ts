import { type Check, type CheckScope, type Finding, fail, type Subject } from '#kernel/check.ts';
import { systemClock } from '#kernel/clock.ts';
import { faultOf } from '#kernel/db/faults.ts';

/** What a check found, for `appctl doctor` and the system page. */
export interface Examined {
  readonly id: string;
  readonly category: string;
  readonly title: string;
  readonly status: Finding['status'];
  readonly message: string;
  /** The command that cures it; null for none. */
  readonly hint: string | null;
  /** The page of the manual about it: `configure`. */
  readonly page: string;
  readonly fixable: boolean;
  /** Whether it is only advice about how the installation is run. */
  readonly isAdvice: boolean;
  readonly isTrouble: boolean;
  /** What it was found in, where it says so. */
  readonly subjects?: readonly Subject[];
  /** Whether it was repaired just now. */
  readonly fixed: boolean;
  /** How long it took. */
  readonly ms: number;
}

/** `db` of `db.integrity`. */
export const categoryOf = (check: Check): string => check.id.slice(0, check.id.indexOf('.'));

/** Where the manual says more about the checks of a category. */
const PAGES: Readonly<Record<string, string>> = {
  env: 'install',
  config: 'configure',
  db: 'check-a-server',
  keys: 'rotate-a-signing-key',
  jobs: 'check-a-server',
  admin: 'staff-and-roles',
  net: 'certificates',
  hooks: 'write-hooks',
  mail: 'send-mail',
  webhooks: 'send-webhooks',
  releases: 'store-bundles',
  inbound: 'purchases',
  media: 'check-a-server',
  audit: 'audit-log',
  license: 'sell-licenses',
  store: 'work-on-orders',
};

/** The page of the manual about what a check looks at. */
export const manualPageOf = (check: Check): string =>
  check.launch === undefined ? (PAGES[categoryOf(check)] ?? 'check-a-server') : 'launch-checklist';

/** The category under which the launch checklist is asked for. */
export const LAUNCH = 'launch';

/** Whether a check is of a category: its own one, or the launch checklist, whose checks are of many. */
export const isOfCategory = (check: Check, category: string): boolean =>
  category === LAUNCH ? check.launch !== undefined : categoryOf(check) === category;

/** @param ms that it took */
export const examined = (
  check: Check,
  { status, message, hint, isTrouble, subjects }: Finding,
  ms: number,
): Examined => ({
  id: check.id,
  category: categoryOf(check),
  title: check.title,
  status,
  message,
  hint: hint ?? null,
  page: manualPageOf(check),
  fixable: check.fix !== undefined,
  isAdvice: isTrouble !== true && (check.isAdvice === true || check.launch !== undefined),
  isTrouble: isTrouble === true,
  ...(subjects && { subjects }),
  fixed: false,
  ms,
});

/**
 * Runs one check.
 *
 * @param fix repairs what it finds, where it can, and looks again
 * @returns what it found; a check that itself breaks has failed, and so has a repair that does
 */
export async function examine(check: Check, scope: CheckScope, fix = false): Promise<Examined> {
  const started = systemClock.monotonicMs();
  const elapsed = () => Math.round(systemClock.monotonicMs() - started);
  const first = await attempt(check, scope);
  if (!fix || !check.fix || first.status === 'ok' || first.status === 'skip')
    return examined(check, first, elapsed());
  try {
    await check.fix(scope);
  } catch (error) {
    const message = `${first.message}; not repaired: ${(error as Error).message}`;
    return examined(check, { ...first, message }, elapsed());
  }
  const second = await attempt(check, scope);
  return { ...examined(check, second, elapsed()), fixed: second.status === 'ok' };
}

/** It must not hide the findings of the others. */
async function attempt(check: Check, scope: CheckScope): Promise<Finding> {
  try {
    return await check.run(scope);
  } catch (error) {
    const hint = faultOf(error)?.hint ?? 'run appctl doctor --debug';
    return fail(`could not be examined: ${(error as Error).message}`, hint);
  }
}
