import type { RuleSetting } from '#licensing/insight/abuse/view.ts';
import { writeCard } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { Column } from '../frame/rows.ts';
import { parsePairs } from '../frame/values.ts';
import { withAbuse } from './twin.ts';

interface Rules {
  readonly items: readonly RuleSetting[];
}

const columns: readonly Column<RuleSetting>[] = [
  { key: 'rule' },
  { key: 'enabled', text: ({ enabled }) => (enabled ? 'on' : 'off') },
  { key: 'params', title: 'thresholds', text: ({ params }) => thresholds(params) },
  { key: 'summary', title: 'flags' },
];

/** `appctl abuse rules list`. */
export function listRules(cli: Cli): Promise<void> {
  return withAbuse(cli, async (desk) => {
    const { items } = await desk.get<Rules>('abuse/rules');
    await cli.out.rows({ items }, items, columns);
  });
}

/** `appctl abuse rules set RULE [--enable|--disable] [--param k=v…]`. */
export async function setRule(cli: Cli): Promise<void> {
  const params = paramsAsked(cli);
  const enabled = cli.flag('enable') ? true : cli.flag('disable') ? false : undefined;
  if (enabled === undefined && Object.keys(params).length === 0)
    throw usageError('nothing to change', 'appctl abuse rules set --help');
  const name = cli.argument('rule');
  await withAbuse(cli, async (desk) => {
    const { items } = await namingFlags({ 'rules.0.params': '--param', 'rules.0.rule': 'RULE' }, () =>
      desk.put<Rules>('abuse/rules', { rules: [{ rule: name, enabled, params }] }),
    );
    const rule = items.find((one) => one.rule === name) as RuleSetting;
    await writeCard(cli, planned(cli, rule));
    noteChange(
      cli,
      `${rule.rule} is ${rule.enabled ? 'on' : 'off'}; this applies from the next evaluation on`,
    );
  });
}

/** Thresholds are judged by the rule; here only what is no number at all is told. */
function paramsAsked(cli: Cli): Record<string, number> {
  const pairs = Object.entries(parsePairs('--param', cli.list('param')));
  return Object.fromEntries(
    pairs.map(([name, value]) => {
      if (value === true || !/^\d{1,9}$/.test(value))
        throw usageError(`--param ${name} must be a whole number`, 'write --param networks=25');
      return [name, Number(value)];
    }),
  );
}

const thresholds = (params: Readonly<Record<string, number>>): string =>
  Object.entries(params)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ') || '-';
