import type { Ctx } from '#kernel/context.ts';
import { checkInput } from '#kernel/service/input.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import { defaultLeaseSeconds } from '#licensing/contract/settings.ts';
import { type Decision, decide, type PolicyFacts } from '#licensing/licenses/decision/index.ts';
import { policyFactsOf } from './facts.ts';
import { type Governed, listGoverned, START } from './queries.ts';
import type { Impact } from './view.ts';

type Code = Decision['code'];

const MOST = 100_000;
const MOST_SAMPLES = 20;
const ROWS_PER_QUERY = 1000;

/**
 * Asks validate before and after a change of a policy, for every live activation and every license without one
 * (licensing 6.5). A machine is taken to run the version that it last told. Changes nothing; reads page by page, at
 * most 100,000 of them.
 *
 * @param changes as an update takes them
 * @param most for tests: look at this many
 * @throws AppError VALIDATION_ERROR; NOT_FOUND
 */
export async function impact(
  ctx: Ctx,
  policyIdOrName: string,
  changes: policies.PolicyUpdateInput,
  most = MOST,
): Promise<Impact> {
  // The input is judged before the policy is looked for (D3).
  const checked = checkInput(policies.PolicyUpdate, changes);
  const policy = await policies.get(ctx, policyIdOrName);
  const [before, after] = [policyFactsOf(policy), policyFactsOf(policies.amended(policy, checked))];
  const tally = new Tally();
  const now = ctx.now();
  for await (const governed of allGoverned(ctx, policy.id)) {
    if (tally.seen === most) return tally.result(true);
    const [from, to] = [before, after].map((rules) => answerTo(ctx, governed, rules, now)) as [Code, Code];
    tally.add(governed, from, to);
  }
  return tally.result(false);
}

async function* allGoverned(ctx: Ctx, policyId: string): AsyncGenerator<Governed> {
  let after = START;
  for (;;) {
    const page = await listGoverned(ctx, policyId, after, ROWS_PER_QUERY);
    yield* page;
    const last = page.at(-1);
    if (page.length < ROWS_PER_QUERY || last === undefined) return;
    after = { licenseId: last.license.id, activationId: last.activation?.id ?? '' };
  }
}

function answerTo(ctx: Ctx, governed: Governed, policy: PolicyFacts, now: string): Code {
  const { license, product, activation, appVersion } = governed;
  const facts = {
    license,
    product,
    policy,
    activation,
    // No rule of validate asks how many there are.
    used: 0,
    request: { appVersion: appVersion ?? undefined },
    history: null,
    defaultLeaseSeconds: ctx.settings.get(defaultLeaseSeconds),
  };
  return decide('validate', facts, now).code;
}

/** Counts as the rows go by: none of them is kept but the samples. */
class Tally {
  seen = 0;
  readonly #counts = new Map<string, { from: Code; to: Code; count: number }>();
  readonly #samples: Impact['samples'] = [];
  #licenses = 0;
  #latestLicense = '';

  add({ license, keyPrefix, machineId }: Governed, from: Code, to: Code): void {
    this.seen += 1;
    // Rows come in the order of their licenses.
    if (license.id !== this.#latestLicense) this.#licenses += 1;
    this.#latestLicense = license.id;
    if (from === to) return;
    const counted = this.#counts.get(`${from} ${to}`) ?? { from, to, count: 0 };
    counted.count += 1;
    this.#counts.set(`${from} ${to}`, counted);
    if (this.#samples.length < MOST_SAMPLES)
      this.#samples.push({ licenseId: license.id, keyPrefix, machineId, before: from, after: to });
  }

  result(truncated: boolean): Impact {
    const transitions = [...this.#counts.values()].sort((a, b) => b.count - a.count);
    return {
      affectedLicenses: this.#licenses,
      wouldChangeAnswer: transitions.reduce((sum, { count }) => sum + count, 0),
      transitions,
      samples: this.#samples,
      truncated,
    };
  }
}
