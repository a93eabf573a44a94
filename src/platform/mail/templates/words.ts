import type { Ctx } from '#kernel/context.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { templateOfHtml } from '../html-template.ts';
import { postOffice } from '../post-office.ts';
import { languagesFor, shippedTemplate, type Template } from '../template.ts';
import type { OwnTemplate } from './record.ts';
import * as repo from './repository.ts';

interface Kept {
  /** Of the settings: it rises with every change of a template, too. */
  readonly version: number;
  readonly own: ReadonlyMap<string, OwnTemplate>;
  readonly read: Map<string, Template>;
  readonly switches: ReadonlyMap<string, boolean>;
}

const held = memoryKey('words of mails', (): { kept: Kept | null } => ({ kept: null }));

const nameOf = (key: string, locale: string): string => `${key}.${locale}`;

/**
 * What staff changed, from memory: a mail is written in the transaction of an order, and a query for its words would
 * make that wait. Every server follows within two seconds, as it does with settings.
 */
async function wordsNow(ctx: Ctx): Promise<Kept> {
  const memory = ctx.memory.of(held);
  const { version } = ctx.settings;
  if (memory.kept?.version === version) return memory.kept;
  const [own, switches] = [await repo.listTemplates(ctx), await repo.listSwitches(ctx)];
  memory.kept = {
    version,
    own: new Map(own.map((one) => [nameOf(one.key, one.locale), one])),
    read: new Map(),
    switches: new Map(switches.map(({ key, isOn }) => [key, isOn])),
  };
  return memory.kept;
}

/**
 * The words of a mail in a language: for each language that will do, best first, those that staff wrote, else those of
 * the operator's folder, else the shipped ones.
 *
 * @throws Error for a mail without any words
 */
export async function templateFor(ctx: Ctx, key: string, locale: string): Promise<Template> {
  const { own, read } = await wordsNow(ctx);
  for (const language of languagesFor(locale)) {
    const name = nameOf(key, language);
    const known = read.get(name);
    if (known) return known;
    const written = own.get(name);
    if (written) {
      const template = templateOfHtml(written.subject, written.bodyHtml, written.bodyText);
      read.set(name, template);
      return template;
    }
    const shipped = shippedTemplate(key, language, postOffice(ctx).templatesDir);
    if (shipped) return shipped;
  }
  throw new Error(`mail ${key} has no template`);
}

/** Whether staff switched a mail on or off; undefined while it is as it was declared. */
export const switchOf = async (ctx: Ctx, key: string): Promise<boolean | undefined> =>
  (await wordsNow(ctx)).switches.get(key);

/** What staff wrote, by key and language. */
export const ownTemplates = async (ctx: Ctx): Promise<readonly OwnTemplate[]> => [
  ...(await wordsNow(ctx)).own.values(),
];
