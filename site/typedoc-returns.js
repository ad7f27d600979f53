// A typedoc plugin that warns about every function and method that returns a value and has no `@returns`.
import { ReflectionKind } from 'typedoc';

const FUNCTIONS = ReflectionKind.CallSignature;

/** @param {import('typedoc').Application} app */
export function load(app) {
  app.on('validateProject', (project) => {
    for (const signature of project.getReflectionsByKind(FUNCTIONS)) {
      const { comment, parent, type } = signature;
      const isNamed = parent?.kindOf([ReflectionKind.Function, ReflectionKind.Method]) === true;
      const returns = type?.toString() ?? 'void';
      if (!isNamed || /^(?:void|asserts .*|Promise<void>|never|this)$/.test(returns)) continue;
      if (comment?.getTag('@returns') === undefined)
        app.logger.warn(`${signature.getFriendlyFullName()} returns ${returns}, and its comment has no @returns`);
    }
  });
}
