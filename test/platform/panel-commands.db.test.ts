// What a page is about to do can be copied as a command that does the same (admin.md A11): of every resource that has
// forms, the command is taken from the page and run as it stands.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import type { Screen } from '#platform/admin/index.ts';
import { fieldsOf } from '#platform/panel/forms/fields.ts';
import { textsOf } from '#platform/panel/forms/values.ts';
import { samples } from '../contract/staff/index.ts';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';
import { tokenIn } from '../support/browser.ts';
import { runInside } from '../support/cli-inside.ts';
import { nothing } from '../support/database-changes.ts';
import type { Made, ResourceSample } from '../support/resource-sample.ts';
import { LOOPBACK_PINS } from '../support/webhooks.ts';
import { entriesOf, member, textOf } from './panel/staff.ts';

let desks: BothDesks;
let env: Record<string, string>;
let browser: Awaited<ReturnType<typeof member>>['browser'];
let ctx: Ctx;
beforeAll(async () => {
  desks = await openBothDesks({ pins: LOOPBACK_PINS });
  const { dataDir, database } = desks.app.instance.config;
  env = { APPCTL_DATA_DIR: dataDir, APPCTL_DATABASE_URL: database.url, APPCTL_BASE_URL: desks.app.url };
  ({ browser } = await member(desks.app));
  ctx = desks.app.ctx;
});
afterAll(() => desks.close());

const screened = samples.flatMap((sample) => {
  const { screen } = sample.resource.spec as unknown as { screen?: Screen };
  return screen ? [{ name: sample.resource.name, sample, screen }] : [];
});
const makers = screened.filter(({ sample }) => (sample.resource.spec as { create?: unknown }).create);

/** The words of a line as a shell reads them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|\\'|[^\s'\\])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'/g, '$1').replaceAll("\\'", "'"),
  );
const commandIn = (html: string): string | null => {
  const [, text] = /<code data-copy>([\s\S]*?)<\/code>/.exec(html) ?? [];
  return text === undefined ? null : text.split('\n').map(textOf).join('\n');
};

/** Runs what was copied, line by line. @returns what the last one printed */
async function paste(command: string): Promise<Record<string, unknown>> {
  let printed = '';
  for (const line of command.split('\n')) {
    const [program, ...words] = wordsOf(line);
    expect(program).toBe('appctl');
    const { code, stdout, stderr } = await runInside([...words, '--json'], {
      cwd: desks.cwd,
      env,
      ...(line.includes('-stdin') && { input: 'whsec_0123456789abcdef0123456789' }),
    });
    expect([line, code, stderr.replace(/[\s\S]*?(error.*)$/m, '$1')]).toEqual([line, 0, expect.anything()]);
    printed = stdout;
  }
  return JSON.parse(printed);
}

const operationOf = ({ resource }: ResourceSample, method: string, below = ''): string => {
  const twin = resource.spec.apis.find(({ surface }) => surface === 'license-admin');
  return `${method} ${twin?.path}${below}`;
};
const filledIn = (path: string, made: Made): string =>
  path.replaceAll(
    /([\w-]+)\/\{(\w+)\}/g,
    (_, before: string, name: string) =>
      `${before}/${encodeURIComponent(made[`${before}/${name}`] ?? made[name] ?? '')}`,
  );

/** The right body of an operation; commands take dates of the next hundred years. */
function bodyFor(sample: ResourceSample, operation: string, made: Made): Record<string, unknown> {
  const body = sample.bodies[operation]?.(made) ?? {};
  return JSON.parse(JSON.stringify(body).replaceAll('2999-', '2099-'));
}

/** A form of texts as a browser sends it. */
const formOf = (texts: Readonly<Record<string, string | readonly string[]>>): [string, string][] =>
  Object.entries(texts).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );

async function asCommand(path: string, fields: readonly [string, string][]): Promise<string | null> {
  const { text } = await browser.open('/admin/profile/preferences');
  const all: [string, string][] = [['_csrf', tokenIn(text)], ['_as', 'command'], ...fields];
  const { text: html } = await browser.post(path, all as unknown as Record<string, string>);
  return commandIn(html);
}

describe.each(makers)('$name', ({ sample, screen }) => {
  it('the command of a new one makes what the form would', async () => {
    const operation = operationOf(sample, 'POST');
    const made = await sample.make(ctx, operation);
    const body = bodyFor(sample, operation, made);
    const { create } = sample.resource.spec as unknown as {
      create: { schema: Parameters<typeof fieldsOf>[0] };
    };
    const texts = textsOf(fieldsOf(create.schema, screen), body);
    const command = await asCommand(`${filledIn(screen.path, made)}/new`, formOf(texts));
    expect(command).not.toBeNull();
    const printed = await paste(command as string);
    const told = { ...printed, ...(Object.values(printed)[0] as object) } as Record<string, unknown>;
    for (const [field, value] of Object.entries(body))
      if (field in told && typeof value !== 'object')
        expect([field, told[field]]).toEqual([
          field,
          typeof value === 'string' ? value.replace(/:00Z$/, ':00.000Z') : value,
        ]);
  });
});

type Texts = Readonly<Record<string, string | readonly string[]>>;
/** What a form holds in a field, without what is empty or off. */
const heldOf = (entries: readonly (readonly [string, string])[], field: string): string[] =>
  entries
    .filter(([name, value]) => name === field && !['', '{}', '[]', 'false'].includes(value))
    .map(([, value]) => textOf(value))
    .sort();
const changers = screened.filter(({ screen }) => screen.commands?.change);

describe.each(changers)('$name', ({ name, sample, screen }) => {
  const { edit } = sample.resource.spec as unknown as { edit: { schema: Parameters<typeof fieldsOf>[0] } };
  const fields = fieldsOf(edit.schema, screen, true);
  const operation = operationOf(sample, 'PATCH', '/{id}');
  let path: string;
  let texts: Texts;
  beforeAll(async () => {
    const made = await sample.make(ctx, operation);
    path = `${filledIn(screen.path, made)}/${made.id}/edit`;
    const created = bodyFor(sample, operationOf(sample, 'POST'), made);
    texts = textsOf(fields, { ...created, ...bodyFor(sample, operation, made) });
  });

  /** The form as it stands, with other values in some fields. */
  async function filled(values: Texts): Promise<[string, string][]> {
    const { text } = await browser.open(path);
    const others = entriesOf(text).filter(([field]) => !(field in values) && field !== '_csrf');
    return [...others, ...formOf(values)];
  }

  /** Runs the command that the form says with these values; then they stand in it. @returns fields that no command can say */
  async function changeByCommand(values: Texts): Promise<string[]> {
    const said: Record<string, string | readonly string[]> = {};
    for (const [field, value] of Object.entries(values))
      if ((await asCommand(path, await filled({ [field]: value }))) !== null) said[field] = value;
    await paste((await asCommand(path, await filled(said))) as string);
    const now = entriesOf((await browser.open(path)).text);
    for (const [field, value] of Object.entries(said)) {
      const asked = heldOf(formOf({ [field]: value }), field);
      // A webhook of no events is one of those that webhooks get by default.
      const held = field === 'events' && asked.length === 0 ? licenseWebhooks.defaultEvents : asked;
      expect([field, heldOf(now, field)]).toEqual([field, [...held].sort()]);
    }
    return Object.keys(values).filter((field) => !(field in said));
  }

  it('the command of a change changes what the form would, and empties what it would where a command can', async () => {
    const { text } = await browser.open(path);
    const before = entriesOf(text);
    const differing = Object.entries(texts).filter(([field, value]) => {
      const wanted = heldOf(formOf({ [field]: value }), field);
      return wanted.length > 0 && heldOf(before, field).join() !== wanted.join();
    });
    expect(differing).not.toEqual([]);
    // Values of headers may be secrets, which no command line shows.
    const unsaid = name === 'webhooks' ? ['headers'] : [];
    expect(await changeByCommand(Object.fromEntries(differing))).toEqual(unsaid);
    const held = entriesOf((await browser.open(path)).text);
    const emptied = fields
      .filter(({ name, kind }) => !['checkbox', 'select'].includes(kind) && heldOf(held, name).length > 0)
      .map(({ name, kind }): [string, string | string[]] => [name, kind === 'checkboxes' ? [] : '']);
    await changeByCommand(Object.fromEntries(emptied));
  });

  const unsayable: Texts =
    name === 'products' ? { status: 'DEPRECATED' } : name === 'webhooks' ? { enabled: 'false' } : {};
  it.each(Object.entries(unsayable))(
    'what the command has no flag for has no command: %s',
    async (field, value) => {
      expect(await asCommand(path, await filled({ [field]: value }))).toBeNull();
      expect(await asCommand(path, await filled({ [field]: value, name: 'another name' }))).toBeNull();
    },
  );

  it('a form in which nothing was changed says so', async () => {
    expect(await asCommand(path, await filled({}))).toBeNull();
    const { text } = await browser.open(path);
    const again = await browser.post(path, {
      ...Object.fromEntries(entriesOf(text)),
      _csrf: tokenIn(text),
      _as: 'command',
    });
    expect(textOf(again.text)).toContain('Edit a field first');
  });
});

/** What can be done with several rows, by the name that the list sends. */
const bulkOf = ({ sample, screen }: (typeof screened)[number]) => {
  const { actions = {}, remove } = sample.resource.spec as unknown as {
    actions?: Record<string, { where: string; input?: Parameters<typeof fieldsOf>[0] }>;
    remove?: { isBulk?: true; input?: Parameters<typeof fieldsOf>[0] };
  };
  const several = Object.entries(actions).filter(
    ([name, { where }]) => (where === 'both' || where === 'bulk') && !screen.without?.includes(name),
  );
  const all = several.map(([name, { input, where }]) => ({
    name,
    input,
    of: operationOf(sample, 'POST', where === 'bulk' ? '/bulk' : `/{id}/${name}`),
  }));
  if (remove?.isBulk)
    all.push({ name: 'delete', input: remove.input, of: operationOf(sample, 'DELETE', '/{id}') });
  return all.map((one) => ({ resource: sample.resource.name, sample, screen, ...one }));
};

describe('of many at once', () => {
  it.each(screened.flatMap(bulkOf))('$resource: $name', async ({ sample, screen, name, input, of }) => {
    const known = Object.keys(sample.rows).find((row) => row.replace(/{\w+}(?=[^{]*$)/, '{id}') === of) ?? of;
    const made = await sample.make(ctx, known);
    const twin = sample.resource.spec.apis.find(({ surface }) => surface === 'license-admin');
    const key = made[twin?.key ?? 'id'] ?? '';
    const all = bodyFor(sample, known, made);
    // `set` takes what each field of it changes; `action` of a run is what is done.
    const { action: _action, ...body } = (name === 'set' ? { tier: 'BUSINESS' } : all) as Record<
      string,
      unknown
    >;
    const fields = input
      ? formOf(textsOf(fieldsOf(input, screen), body)).filter(([field]) => field in body)
      : [];
    const list = filledIn(screen.path, made);
    const run: [string, string][] = [
      ['action', name],
      ['ids', key],
      ['sure', 'true'],
    ];
    // A reason that is not required may be one that the command has no flag for.
    const [whole, bare] = [
      await asCommand(`${list}/bulk`, [...run, ...fields]),
      await asCommand(`${list}/bulk`, run),
    ];
    const command = whole ?? bare;
    expect(command).not.toBeNull();
    const { changes } = await desks.app.changesBy(() => paste(command as string));
    if (JSON.stringify(changes) !== JSON.stringify(nothing)) return;
    // It was so already: then the form changes nothing either.
    const token = tokenIn((await browser.open('/admin/profile/preferences')).text);
    const sent = [['_csrf', token], ...run, ...fields] as unknown as Record<string, string>;
    expect((await desks.app.changesBy(() => browser.post(`${list}/bulk`, sent))).changes).toEqual(nothing);
  });
});
