import { nearest } from '#kernel/edit-distance.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { renderHelp } from '../frame/help.ts';
import { type CommandNode, resolveCommand } from '../frame/tree.ts';

const manual = () => import('#platform/help/index.ts');

/**
 * `appctl help [TOPIC]`: the same text as `appctl COMMAND --help`, or a page of the manual.
 * @throws CliError (2) when there is neither
 */
export async function printHelp(cli: Cli): Promise<void> {
  const words = cli.argumentList('topic');
  const sought = cli.option('search');
  if (sought !== undefined) return search(cli, words, sought);
  const file = cli.option('file');
  if (file !== undefined) return printFile(cli, words.join('-'), file);
  const { node, rest, unknown } = resolveCommand(cli.tree, words);
  const wrong = unknown ?? rest[0];
  if (wrong === undefined) return cli.out.raw(renderHelp(node, cli.io.stdout));
  const name = words.join('-');
  if (name === 'topics') return listTopics(cli);
  const { allTopics } = await manual();
  // Pages refer to each other by title.
  const page = allTopics.find(
    ({ topic, title }) => topic === name || title.toLowerCase() === words.join(' ').toLowerCase(),
  );
  if (page) return printPage(cli, page);
  throw unknownTopic(
    words,
    node,
    wrong,
    allTopics.map(({ topic }) => topic),
  );
}

async function printPage(cli: Cli, page: { topic: string; title: string }): Promise<void> {
  const { pageBlocks, readPage } = await manual();
  const { pageText } = await import('./page-text.ts');
  const blocks = await pageBlocks(page.topic);
  const width = cli.io.stdout.isTTY ? cli.io.stdout.columns : undefined;
  await cli.out.value({ ...page, markdown: readPage(page.topic) }, (paint) => pageText(blocks, width, paint));
}

/** @throws CliError (2) for a page or a file that there is not */
async function printFile(cli: Cli, topic: string, file: string): Promise<void> {
  const { allTopics, filesOf, readPageFile } = await manual();
  if (!allTopics.some((page) => page.topic === topic))
    throw usageError('--file needs a page of the manual', 'appctl help monitoring --file dashboard.json');
  const files = filesOf(topic);
  if (files.includes(file)) return cli.out.raw(readPageFile(topic, file));
  const hint = files.length === 0 ? `appctl help ${topic}` : `its files: ${files.join(', ')}`;
  throw usageError(`the page ${topic} has no file '${file}'`, hint);
}

async function listTopics(cli: Cli): Promise<void> {
  const { sections } = await manual();
  const topics = sections.flatMap((section) =>
    section.topics.map(({ topic, title }) => ({ topic, title, section: section.title })),
  );
  await cli.out.rows({ topics }, topics, [
    { key: 'topic', whole: true },
    { key: 'title', whole: true },
    { key: 'section' },
  ]);
}

async function search(cli: Cli, words: readonly string[], sought: string): Promise<void> {
  if (words.length > 0)
    throw usageError(
      '--search looks in every page and cannot be combined with a topic',
      `appctl help --search ${sought}`,
    );
  if (sought.trim() === '') throw usageError('--search is empty', 'appctl help --search webhook');
  const found = await (await manual()).searchPages(sought.trim());
  await cli.out.rows({ found }, found, [{ key: 'topic', whole: true }, { key: 'line' }]);
  if (found.length === 0) cli.note(`no manual page contains '${sought}'; to see all: appctl help topics`);
}

function unknownTopic(words: readonly string[], node: CommandNode, wrong: string, topics: readonly string[]) {
  const pages = node.path === '' ? topics : [];
  const near = [
    nearest(wrong, node.children.keys()),
    nearest(words.join('-'), pages),
    ...pages.filter((topic) => wrong.length > 2 && topic.includes(wrong)),
  ].filter((one) => one !== undefined);
  const meant = [...new Set(near)].slice(0, 3).map((one) => `appctl help ${`${node.path} ${one}`.trim()}`);
  const hint =
    meant.length === 0
      ? 'appctl help topics lists the manual, appctl --map lists every command'
      : `did you mean ${meant.join(', or ')}?`;
  return usageError(`unknown command or page '${words.join(' ')}'`, hint);
}
