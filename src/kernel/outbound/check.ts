import { NameUnresolved, type Resolver, resolveTarget, systemResolver } from './lookup.ts';
import type { TargetRules } from './types.ts';
import { parseTarget } from './url.ts';

const LOOKUP_TIMEOUT_MS = 5000;

/**
 * Judges an address when somebody saves it: its spelling, and where it leads now. Each sending judges it anew.
 *
 * @returns `unresolved` when its name has no address at this moment: that is worth a warning and no refusal, because
 *   the name may be made later
 * @throws TargetRefused
 */
export async function checkTarget(
  text: string,
  rules: TargetRules,
  resolver: Resolver = systemResolver,
): Promise<'ok' | 'unresolved'> {
  const url = parseTarget(text, rules);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), LOOKUP_TIMEOUT_MS);
  try {
    await resolveTarget(url, rules, resolver, deadline.signal);
    return 'ok';
  } catch (error) {
    if (error instanceof NameUnresolved || deadline.signal.aborted) return 'unresolved';
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
