import { file, type Page, page, show } from '#kernel/http/page.ts';
import type { Audience } from '#kernel/http/visitor.ts';
import type { RenderedMarkdown } from '#kernel/views/markdown.ts';
import { sections, type Topic } from './contents.ts';
import { filesOf, helpFiles, pageHtml, readPageFile } from './manual.ts';

/** The element of other pages that shows a page of the manual beside what they are about. */
const HELP_PART = 'help-text';

/** The table of contents. */
const contents = page({
  path: '/help',
  title: 'Manual',
  audience: 'public',
  fragments: { [HELP_PART]: 'platform/help-contents' },
  show: async () => show('platform/help-contents', { sections }),
});

/** Each topic is a page of its own, because a page declares who may see it. */
function topicPage({ topic, title }: Topic, audience: Audience): Page {
  // A shipped page never changes while the program runs.
  let rendered: Promise<RenderedMarkdown> | undefined;
  return page({
    path: `/help/${topic}`,
    title,
    audience,
    fragments: { [HELP_PART]: 'platform/help-page' },
    show: async () => {
      rendered ??= pageHtml(topic);
      const { html, headings } = await rendered;
      return show('platform/help-page', { html, chapters: headings.filter(({ depth }) => depth === 2) });
    },
  });
}

/** A file that comes with a page, such as an example: as plain text, to be read or saved. */
const filePage = (topic: string, name: string, audience: Audience): Page =>
  page({
    path: `/help/${topic}/${name}`,
    title: name,
    audience,
    show: async () => file('text/plain; charset=utf-8', readPageFile(topic, name)),
  });

const shipped = helpFiles();

export const helpPages: readonly Page[] = [
  contents,
  ...sections.flatMap(({ topics, audience }) => {
    const who = audience === 'operators' ? 'staff' : 'public';
    return topics.flatMap((one) => [
      topicPage(one, who),
      ...filesOf(one.topic, shipped).map((name) => filePage(one.topic, name, who)),
    ]);
  }),
];
