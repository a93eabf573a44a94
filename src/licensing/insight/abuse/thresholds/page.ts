import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { goTo, page, refuseForm, type Shown, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import type { AbuseRule } from '#licensing/contract/enumerations.ts';
import { perform } from '#platform/admin/index.ts';
import { PANEL } from '#platform/panel/index.ts';
import { setRulesEndpoint } from '../admin-endpoints.ts';
import { ruleSpecs, type Thresholds } from '../rules.ts';
import { listRules } from '../settings.ts';
import type { RuleSetting } from '../view.ts';
import { listScores, type Score } from './queries.ts';

const PATH = '/admin/abuse/rules';
const HOUR = 3600;

/** Rules that a person switches: MANUAL is none. */
const editable: readonly AbuseRule[] = (Object.keys(ruleSpecs) as AbuseRule[]).filter(
  (rule) => rule !== 'MANUAL',
);
const enabledName = (rule: string): string => `${rule}.enabled`;
const paramName = (rule: string, param: string): string => `${rule}.${param}`;

const Form = later(() =>
  z.object({
    step: z.enum(['preview', 'save']).optional(),
    note: z.string().max(500).optional(),
    ...Object.fromEntries(
      editable.flatMap((rule) => [
        [enabledName(rule), z.string().max(10).optional()],
        ...Object.keys(ruleSpecs[rule].params).map((param) => [
          paramName(rule, param),
          z.string().max(20).optional(),
        ]),
      ]),
    ),
  }),
);
type Sent = Readonly<Record<string, string | undefined>>;

/** Thresholds of abuse detection, with how many licenses they would have flagged (admin.md 5.5). */
export const rulesPage = page({
  path: PATH,
  title: 'Abuse detection rules',
  audience: { staff: 'licensing:read' },
  layout: PANEL,
  help: 'explain-a-refusal',
  form: Form,
  query: later(() => z.object({ done: z.string().max(20).optional() })),
  async show(ctx, { query }) {
    const rules = await listRules(ctx);
    return shown(ctx, rules, null, { isSaved: query.done === 'save' });
  },
  async submit(ctx, { form }) {
    const sent = form as unknown as Sent;
    const rules = await listRules(ctx);
    const wanted = wantedIn(sent, rules);
    if (sent.step !== 'save') return shown(ctx, rules, wanted, { isSaved: false });
    if (!allows(ctx.actor, 'licensing:write'))
      throw refuseForm("You don't have permission to change these rules", {}, 403);
    const changes = wanted.map(({ rule, enabled, params }) => ({ rule, enabled, params }));
    await perform(ctx, setRulesEndpoint, {
      body: { rules: changes, ...(sent.note?.trim() && { note: sent.note.trim() }) },
    });
    return goTo(`${PATH}?done=save`);
  },
});

/** What the form asks for. @throws FormRefusal for a threshold that is no number */
function wantedIn(sent: Sent, rules: readonly RuleSetting[]): RuleSetting[] {
  const faults: Record<string, string> = {};
  const wanted = rules
    .filter(({ rule }) => editable.includes(rule))
    .map((one) => ({
      ...one,
      enabled: sent[enabledName(one.rule)] === 'true',
      params: Object.fromEntries(
        Object.entries(one.params).map(([param, before]) => {
          const text = (sent[paramName(one.rule, param)] ?? '').trim();
          if (text === '') return [param, before];
          if (!/^\d{1,7}$/.test(text) || Number(text) > 1_000_000)
            faults[paramName(one.rule, param)] = 'must be a whole number from 0 to 1,000,000';
          return [param, Number(text)];
        }),
      ),
    }));
  if (Object.keys(faults).length > 0) throw refuseForm('Some thresholds are not numbers', faults);
  return wanted;
}

async function shown(
  ctx: Ctx,
  rules: readonly RuleSetting[],
  wanted: readonly RuleSetting[] | null,
  { isSaved }: { readonly isSaved: boolean },
): Promise<Shown> {
  const scores = await listScores(ctx);
  const held = new Map((wanted ?? rules).map((one) => [one.rule, one]));
  const values: Record<string, string> = {};
  const models = rules
    .filter(({ rule }) => editable.includes(rule))
    .map((before) => {
      const now = held.get(before.rule) ?? before;
      values[enabledName(before.rule)] = String(now.enabled);
      for (const [param, value] of Object.entries(now.params))
        values[paramName(before.rule, param)] = String(value);
      const { counts } = ruleSpecs[before.rule];
      return {
        rule: before.rule,
        summary: before.summary,
        enabledName: enabledName(before.rule),
        params: Object.keys(before.params).map((param) => ({
          name: paramName(before.rule, param),
          label: param,
        })),
        window: counts ? windowOf(counts.windowSeconds) : null,
        flaggedBefore: flagged(scores, before),
        flagged: wanted === null ? null : flagged(scores, now),
      };
    });
  return show(
    'licensing/abuse-rules',
    { path: PATH, rules: models, isSaved, mayWrite: allows(ctx.actor, 'licensing:write') },
    { values },
  );
}

/** Licenses that a rule would flag now. */
const flagged = (scores: readonly Score[], { rule, enabled, params }: RuleSetting): number => {
  const { counts } = ruleSpecs[rule];
  if (!enabled || !counts) return 0;
  const isOver = ({ score, maxActivations }: Score) =>
    score > counts.limit(params as Thresholds, maxActivations);
  return scores.filter((one) => one.rule === rule && isOver(one)).length;
};

const windowOf = (seconds: number): string =>
  seconds <= HOUR ? 'hour' : seconds <= 24 * HOUR ? '24 hours' : `${seconds / 24 / HOUR} days`;
