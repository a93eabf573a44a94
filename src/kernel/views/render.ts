import ejs, { type TemplateFunction } from 'ejs';
import { readTemplate } from '../assets.ts';
import type { StaticFiles } from './static-files.ts';

/** Renders a view, inside a layout unless that is null; a template is compiled once. */
export type Render = (view: string, data: Record<string, unknown>, layout?: string | null) => string;

/**
 * @param overrideDir the operator's templates_dir: a file there replaces the shipped one of the same path
 * @param files whose addresses templates ask for: `asset('page.css')`
 * @param shared values that every template may use, such as the service's name
 */
export function createRenderer(
  overrideDir: string | undefined,
  files: StaticFiles,
  shared: Record<string, unknown>,
): Render {
  const compiled = new Map<string, TemplateFunction>();
  const compile = (name: string): TemplateFunction => {
    let template = compiled.get(name);
    if (!template) {
      const source = readTemplate(`${name}.ejs`, overrideDir).toString('utf8');
      compiled.set(name, (template = ejs.compile(source, { filename: `/templates/${name}.ejs` })));
    }
    return template;
  };
  /** ejs's own `include` compiles what it includes each time. */
  const run = (name: string, model: Record<string, unknown>): string => {
    const include = (part: string, more?: Record<string, unknown>) => run(part, { ...model, ...more });
    return compile(name)({ ...model, include, part });
  };
  /** What is shown some hundred times on a page: copying all that the page knows for each would take longer. */
  const part = (name: string, model: Record<string, unknown>): string => compile(name)(model);
  return (view, data, layout = 'layouts/page') => {
    const model = { ...shared, asset: files.addressOf, ...data };
    const content = run(view, model);
    return layout === null ? content : run(layout, { ...model, content });
  };
}
