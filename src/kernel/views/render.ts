import ejs, { type TemplateFunction } from 'ejs';
import { readTemplate } from '../assets.ts';

/** Renders a view inside the layout; a view is compiled once. */
export type Render = (view: string, data: Record<string, unknown>) => string;

/**
 * @param overrideDir the operator's templates_dir: a file there replaces the shipped one of the same path
 * @param shared values that every template may use, such as the service's name
 */
export function createRenderer(overrideDir: string | undefined, shared: Record<string, unknown>): Render {
  const compiled = new Map<string, TemplateFunction>();
  const source = (name: string): string => readTemplate(`${name}.ejs`, overrideDir).toString('utf8');
  const compile = (name: string): TemplateFunction => {
    let template = compiled.get(name);
    if (!template) {
      template = ejs.compile(source(name), {
        filename: `/templates/${name}.ejs`,
        includer: (original: string) => ({ template: source(original) }),
      });
      compiled.set(name, template);
    }
    return template;
  };
  return (view, data) => {
    const model = { ...shared, ...data };
    return compile('layouts/page')({ ...model, content: compile(view)(model) });
  };
}
