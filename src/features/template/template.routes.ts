import { Type } from 'typebox';
import { forbidden } from '#core/errors.ts';
import { eventDetail } from '#core/events/events.ts';
import { type Call, operation, rawOperation } from '#core/http/operation.ts';
import { Empty, PageOf, PageQuery, say } from '#core/http/schema.ts';
import { anyoneKnown, operator, operatorOn, signedIn, teamNotFound, verified } from '#core/policy.ts';
import { workingTeamErrors } from '#features/team/team.schema.ts';
import { readPicture } from './template.picture.ts';
import {
  Approval,
  NewTemplate,
  noPicture,
  Template,
  TemplateChange,
  TemplateName,
  templateBusy,
  templateFailed,
  templateNotFound,
  templateRefused,
  templateStorage,
  templateUnreachable,
  tooManyTemplates,
} from './template.schema.ts';
import { findNamed, findTemplate, findVisible, listAll, listVisible } from './template.sql.ts';
import {
  approveTemplate,
  createTemplate,
  deleteTemplate,
  onOwnTemplate,
  prepareTemplate,
  prepareUpdate,
  updateTemplate,
  viewTemplate,
} from './template.ts';

const tag = 'templates';
const TemplatePath = Type.Object({ template_name: say(TemplateName, 'The name of the template') });

/** The template as it is once it is made, or why it is not. */
async function reread(
  { db, services }: Call,
  { body, eventId }: { body: Template; eventId: string },
): Promise<Template> {
  const { failure } = await eventDetail(db, eventId);
  if (typeof failure === 'string') throw templateFailed({ message: failure });
  const row = await findTemplate(db, body.id);
  return row ? viewTemplate(services, row) : body;
}

export const templateOperations = [
  operation({
    id: 'listTemplates',
    method: 'GET',
    path: '/template',
    tag,
    summary: 'The templates that you can make sites from, newest first',
    access: signedIn,
    assistant: true,
    query: Type.Object(PageQuery),
    response: PageOf(Template),
    async handle({ db, services, caller, query, page }) {
      const { count, rows } = await listVisible(db, caller, query);
      return page(
        query,
        count,
        rows.map((row) => viewTemplate(services, row)),
      );
    },
  }),
  operation({
    id: 'createTemplate',
    method: 'POST',
    path: '/template',
    tag,
    summary: 'Make a template from a Git repository with a site archive, or from a site of yours',
    access: verified(signedIn),
    query: Type.Object({
      create_static_site: Type.Optional(
        Type.Boolean({ description: 'Also make a static export, which can be browsed at demo_url' }),
      ),
    }),
    body: NewTemplate,
    response: Template,
    errors: [
      ...workingTeamErrors,
      teamNotFound,
      forbidden,
      templateStorage,
      tooManyTemplates,
      templateRefused,
      templateUnreachable,
      templateFailed,
    ],
    goesOn: true,
    prepare: ({ db, services, caller, body }) => prepareTemplate(db, services, caller, body),
    handle: (call) => createTemplate(call, call.body, call.prepared, call.query.create_static_site === true),
    reread: (call, first) => reread(call, first),
  }),
  operation({
    id: 'getTemplate',
    method: 'GET',
    path: '/template/{template_name}',
    tag,
    summary: 'One template',
    access: anyoneKnown,
    params: TemplatePath,
    response: Template,
    errors: [templateNotFound],
    async handle({ db, services, callerIfAny, params }) {
      const row = await findVisible(db, callerIfAny, params.template_name);
      if (!row) throw templateNotFound();
      return viewTemplate(services, row);
    },
  }),
  rawOperation({
    id: 'getTemplatePicture',
    method: 'GET',
    path: '/template/{template_name}/picture',
    tag,
    summary: 'What sites made from a template look like',
    access: anyoneKnown,
    params: TemplatePath,
    query: Type.Object({
      version: Type.Optional(say(Type.String({ maxLength: 40 }), 'So that a new picture has an address of its own')),
    }),
    produces: 'image/*',
    errors: [templateNotFound, noPicture],
    async serve({ db, services, callerIfAny, params }, _request, reply) {
      const row = await findVisible(db, callerIfAny, params.template_name);
      if (!row) throw templateNotFound();
      const picture = await readPicture(services, row);
      if (!picture) throw noPicture();
      reply.headers({
        'content-security-policy': "sandbox; default-src 'none'",
        'content-type': picture.type,
        // Whose rights end sees it for so long.
        'cache-control': 'private, max-age=300',
        'cross-origin-resource-policy': 'same-origin',
      });
      return reply.send(picture.content);
    },
  }),
  operation({
    id: 'updateTemplate',
    method: 'PATCH',
    path: '/template/{template_name}',
    tag,
    summary:
      'Change what is said of a template; with update_git, fetch it again, which an operator then has to approve',
    access: verified(onOwnTemplate),
    params: TemplatePath,
    query: Type.Object({
      update_git: Type.Optional(Type.Boolean({ description: 'Read the repository, or the site, again' })),
    }),
    body: TemplateChange,
    response: Template,
    errors: [...workingTeamErrors, templateStorage, templateBusy, templateRefused, templateUnreachable, templateFailed],
    goesOn: true,
    prepare: (call) => prepareUpdate(call, call.body.url, call.query.update_git === true),
    handle: (call) => updateTemplate(call, call.query.update_git === true),
    reread: (call, first) => reread(call, first),
  }),
  operation({
    id: 'deleteTemplate',
    method: 'DELETE',
    path: '/template/{template_name}',
    tag,
    summary: 'Delete a template; sites that were made from it stay',
    access: onOwnTemplate,
    params: TemplatePath,
    response: Empty,
    async handle(call) {
      await deleteTemplate(call);
      return {};
    },
  }),
  operation({
    id: 'listAllTemplates',
    method: 'GET',
    path: '/operator/template',
    tag: 'operators',
    summary: 'Every template of the platform',
    access: operator,
    query: Type.Object({
      approved: Type.Optional(say(Type.Boolean(), 'Only those that are, or are not')),
      ...PageQuery,
    }),
    response: PageOf(Template),
    async handle({ db, services, query, page }) {
      const { count, rows } = await listAll(db, query.approved, query);
      return page(
        query,
        count,
        rows.map((row) => viewTemplate(services, row)),
      );
    },
  }),
  operation({
    id: 'approveTemplate',
    method: 'PATCH',
    path: '/operator/template/{template_name}',
    tag: 'operators',
    summary: 'Approve a template, so that a public one is for everybody, or take that back',
    access: operatorOn((db, { template_name }) => findNamed(db, String(template_name)), templateNotFound),
    params: TemplatePath,
    body: Approval,
    response: Template,
    errors: [templateBusy],
    handle: (call) => approveTemplate(call),
  }),
];
