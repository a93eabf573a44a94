import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { buildInfo } from '#kernel/build-info.ts';
import { isoTime, systemClock } from '#kernel/clock.ts';
import { nearest } from '#kernel/edit-distance.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError } from '../frame/errors.ts';
import { manPage } from './man.ts';
import { markdownPage } from './markdown.ts';
import { type ReferencePage, referencePages } from './pages.ts';

/** A file to be written, by its path below the folder. */
type Files = ReadonlyMap<string, string>;

/** `appctl docs man [COMMAND…] [--out DIR]`. */
export async function writeMan(cli: Cli): Promise<void> {
  const { version, builtAt } = buildInfo();
  const edition = { version, day: (builtAt ?? isoTime(systemClock.epochMs())).slice(0, 'YYYY-MM-DD'.length) };
  const asked = selected(cli);
  if (cli.option('out') === undefined) return cli.out.raw(manPage(asked[0]!, edition));
  const pages = cli.argumentList('command').length === 0 ? referencePages(cli.tree.root) : asked;
  const files = pages.map(
    (page) => [`man${page.section}/${page.name}.${page.section}`, manPage(page, edition)] as const,
  );
  await write(cli, new Map(files));
}

/** `appctl docs markdown [COMMAND…] [--out DIR]`. */
export async function writeMarkdown(cli: Cli): Promise<void> {
  const isAll = cli.argumentList('command').length === 0;
  const pages = isAll ? referencePages(cli.tree.root) : selected(cli);
  if (cli.option('out') === undefined)
    return cli.out.raw(pages.map((page, at) => markdownPage(page, at === 0 ? 1 : 2)).join('\n'));
  await write(cli, byGroup(pages));
}

/** The pages that the words name; that of the program without words. @throws CliError (3) */
function selected(cli: Cli): readonly ReferencePage[] {
  const words = cli
    .argumentList('command')
    .join(' ')
    .replace(/^appctl(?= |-|$)[ -]?/, '');
  const pages = referencePages(cli.tree.root);
  if (words === '') return pages.slice(0, 1);
  const title = words === 'appctl.toml' ? words : `appctl ${words}`;
  const found = pages.filter((page) => page.title === title || page.name === title.replaceAll(' ', '-'));
  if (found.length > 0) return found;
  const meant = nearest(
    title,
    pages.map((page) => page.title),
  );
  throw notFoundError(
    `command "${words}" was not found`,
    meant === undefined ? 'appctl --map=paths lists all of them' : `did you mean ${meant}?`,
  );
}

/** A file for each first word, and one that lists them. */
function byGroup(pages: readonly ReferencePage[]): Files {
  const groups = Map.groupBy(pages, ({ group, name }) => (group === '' ? name : group));
  const files = [...groups].map(([group, own]) => {
    const text = own.map((page, at) => markdownPage(page, at === 0 ? 1 : 2)).join('\n');
    return [`${group}.md`, text] as const;
  });
  const list = [...groups].map(([group, own]) => `- [${own[0]?.title}](${group}.md): ${own[0]?.summary}`);
  const index = ['# Reference of appctl', '', ...list, ''].join('\n');
  return new Map([['README.md', index], ...files]);
}

async function write(cli: Cli, files: Files): Promise<void> {
  const folder = resolve(cli.option('out') ?? '.');
  for (const [name, text] of cli.dryRun ? [] : files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const answer = {
    files: [...files.keys()].map((name) => join(folder, name)),
    ...(cli.dryRun && { dryRun: true }),
  };
  await cli.out.value(
    answer,
    () => `${cli.dryRun ? 'would write' : 'wrote'} ${files.size} files to ${folder}`,
  );
}

/** Offers the words of every command, and the configuration file. */
export async function completePages(cli: Cli): Promise<readonly string[]> {
  return [...cli.tree.root.children.keys(), 'appctl.toml'];
}
