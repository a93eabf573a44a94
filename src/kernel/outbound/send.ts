import { exchange } from './exchange.ts';
import { DeadlinePassed, failureOf } from './failures.ts';
import { type Address, type Resolver, resolveTarget, systemResolver } from './lookup.ts';
import type { TargetOutcome, TargetRequest, TargetRules } from './types.ts';
import { parseTarget } from './url.ts';

/**
 * Sends one request to an address that a user named (reliability M7, M8): judged, looked up, connected and judged again,
 * within one deadline. A redirect is an answer like any other and is not followed.
 *
 * @param resolver for tests
 * @returns what came of it; nothing that a network or a receiver does is thrown
 */
export async function sendToTarget(
  request: TargetRequest,
  rules: TargetRules,
  resolver: Resolver = systemResolver,
): Promise<TargetOutcome> {
  const begun = performance.now();
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new DeadlinePassed(request.timeoutMs)), request.timeoutMs);
  try {
    const url = parseTarget(request.url, rules);
    const addresses: readonly Address[] = await resolveTarget(url, rules, resolver, deadline.signal);
    const { headAt, ...answer } = await exchange({ url, addresses, request, rules }, deadline.signal);
    return { ms: Math.round(headAt - begun), ...answer };
  } catch (error) {
    return { ms: Math.round(performance.now() - begun), ...failureOf(error) };
  } finally {
    clearTimeout(timer);
  }
}
