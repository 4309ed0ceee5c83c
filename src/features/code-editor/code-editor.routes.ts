import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Fqdn, OfStage } from '#core/http/schema.ts';
import { verified } from '#core/policy.ts';
import { siteBusy } from '#features/hold/hold.ts';
import { onSite, siteOrStage, stageMissing } from '#features/instance/instance.ts';
import { workingTeamErrors } from '#features/team/team.schema.ts';
import { CodeServerLogin, codeServerOff } from './code-editor.schema.ts';
import { createCodeServerLogin } from './code-editor.ts';

export const codeEditorOperations = [
  operation({
    id: 'createCodeServerLogin',
    method: 'POST',
    path: '/site/{fqdn}/code_server/login',
    tag: 'sites',
    summary: 'A link that opens the code editor of a site, once',
    access: verified(onSite('member')),
    params: Type.Object({ fqdn: Fqdn }),
    query: Type.Object({ stage: OfStage }),
    response: CodeServerLogin,
    errors: [...workingTeamErrors, siteBusy, stageMissing, codeServerOff],
    handle: async (call) =>
      createCodeServerLogin(call, call.subject, await siteOrStage(call.db, call.subject, call.query.stage)),
  }),
];
