/**
 * Talking to models: wire protocols, providers, credentials, failures, catalogue, side calls, fallback
 * and the money gate. Importing this door loads no vendor's library and opens no connection.
 */
export { readAccount } from "./account.ts";
export {
  type Auxiliary,
  type AuxiliaryOutcome,
  createAuxiliary,
} from "./auxiliary/auxiliary.ts";
export { compressionThreshold } from "./auxiliary/compression-window.ts";
export { type AuxiliaryTask, auxiliaryTasks } from "./auxiliary/task.ts";
export { estimateCall } from "./budget/estimate.ts";
export { BudgetGate } from "./budget/gate.ts";
export { assumedPriceNotice, describeCeiling, describeRefusal, describeStanding } from "./budget/messages.ts";
export { costOfCall } from "./catalog/cost.ts";
export type { PriceQuote } from "./catalog/pricing.ts";
export { misreportsModel } from "./catalog/provider-facts.ts";
export { estimateMessage, estimateRequest, estimateText } from "./catalog/token-estimate.ts";
export { checkWindow, type WindowCheck } from "./catalog/window-check.ts";
export type { AttemptEvent } from "./client.ts";
export { type Collected, Collector } from "./collect.ts";
export type { AuthScheme, CredentialHandle } from "./credential-handle.ts";
export { acceptedNotices, activeProvider, withAcceptedNotice, withoutProvider } from "./credentials/auth-state.ts";
export { maskKey } from "./credentials/mask.ts";
export { type AccountGate, NousGuard, nousGate } from "./credentials/nous-guard.ts";
export type { AuthFlow, LoginUi } from "./credentials/oauth/flow.ts";
export { builtinFlows } from "./credentials/oauth/flows.ts";
export { CredentialPool, type PoolMember } from "./credentials/pool/pool.ts";
export { CredentialRecovery } from "./credentials/recovery.ts";
export { keyCredential, noCredential } from "./credentials/scoped.ts";
export { openTlsConnections } from "./credentials/tls.ts";

export { type Explanation, explain } from "./failures/explain.ts";
export type { FailureKind, ModelFailure } from "./failures/failure.ts";
export { localFailure } from "./failures/local-failure.ts";
export { fittingOutputTokens, retryDelayMs } from "./failures/retry-delay.ts";
export { type FallbackEntry, parseEntries, parseFallbackChain } from "./fallback/chain.ts";
export { startTarget } from "./fallback/start-target.ts";
export { beginTurn, type FallbackState, hasFallbackLeft, openFallback } from "./fallback/state.ts";
export { type FallbackEvent, type SwitchDeps, switchTarget } from "./fallback/switch-target.ts";
export { fallbackTiming } from "./fallback/timing.ts";
export { type Models, openModels } from "./open.ts";
export { hasFastService } from "./protocols/shared/fast-service.ts";
export { countRepairs } from "./protocols/shared/history.ts";
export type { AccountLine } from "./providers/account-probes.ts";
export { readNamedEndpoints } from "./providers/custom.ts";
export { isLocalUrl, scopeOf } from "./providers/hosts.ts";
export { detectLocalServer, findLocalServers, localContextWindow, localServerFacts } from "./providers/local/local.ts";
export { parseModelArgument } from "./providers/model-argument.ts";
export { fetchModels } from "./providers/models/models-list.ts";
export type { ProviderProfile } from "./providers/provider.ts";
export { ProviderRegistry } from "./providers/registry.ts";
export { describeRateLimits, RateLimitLedger } from "./rate-limits.ts";
export type { ModelRequest, ReasoningEffort, RequestOptions } from "./request.ts";
export { choiceToSave, type PickerEntry } from "./resolve/choose/picker.ts";
export { readModelName, switchModel, unlistedModel } from "./resolve/choose/switch-model.ts";
export { usableProviders } from "./resolve/choose/usable-providers.ts";
export type {
  ResolveContext,
  ResolvedTarget,
  TargetRequest,
} from "./resolve/context.ts";
export { demoProvider } from "./resolve/demo.ts";
export { isPlaced, probeKey } from "./resolve/endpoint/probe-key.ts";
export { findCredentials } from "./resolve/found-credentials.ts";
export { answerRemote, type RemoteHermes, remoteHermesTarget, withTextHistory } from "./resolve/remote-hermes.ts";
export type { Target } from "./target.ts";
export { getParser, listParsers } from "./tool-call-parsers/registry.ts";
