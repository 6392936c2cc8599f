/**
 * Talking to models: wire protocols, providers, credentials, failures, catalogue, side calls, fallback
 * and the money gate. Importing this door loads no vendor's library and opens no connection.
 */
export { type AccountAnswer, readAccount } from "./account.ts";
export {
  type Auxiliary,
  type AuxiliaryDeps,
  type AuxiliaryInput,
  type AuxiliaryOutcome,
  createAuxiliary,
} from "./auxiliary/auxiliary.ts";
export { compressionThreshold } from "./auxiliary/compression-window.ts";
export { type AuxiliaryRecord, AuxiliaryTotals } from "./auxiliary/totals.ts";
export { MemoryDayLedger } from "./budget/day-ledger.ts";
export { FileDayLedger } from "./budget/day-ledger-file.ts";
export { estimateCall } from "./budget/estimate.ts";
export { BudgetGate, type BudgetGateDeps, type ReserveOutcome, type Spender } from "./budget/gate.ts";
export type { BudgetLimits } from "./budget/limits.ts";
export { assumedPriceNotice, describeCeiling, describeRefusal } from "./budget/messages.ts";
export { costOfCall } from "./catalog/cost.ts";
export { formatUsd } from "./catalog/formats.ts";
export { type CatalogOptions, knowledgeFrom, type OpenCatalog, openCatalog } from "./catalog/open-catalog.ts";
export type { PriceQuote } from "./catalog/pricing.ts";
export { misreportsModel } from "./catalog/provider-facts.ts";
export { estimateMessage, estimateRequest, estimateText } from "./catalog/token-estimate.ts";
export { checkWindow, type WindowCheck } from "./catalog/window-check.ts";
export { type AttemptEvent, type ModelClientDeps, streamModel } from "./client.ts";
export { type Collected, Collector, collect } from "./collect.ts";
export { type AuthBackend, AuthFile } from "./credentials/auth-file.ts";
export { acceptedNotices, activeProvider, withAcceptedNotice, withoutProvider } from "./credentials/auth-state.ts";
export type { CredentialHandle } from "./credentials/credential.ts";
export { type Keychain, keychainBackend, openKeychain } from "./credentials/keychain.ts";
export { maskKey } from "./credentials/mask.ts";
export { type AccountGate, NousGuard, nousGate } from "./credentials/nous-guard.ts";
export type { AuthFlow, FlowContext, LoginOutcome, LoginStatus, LoginUi } from "./credentials/oauth/flow.ts";
export { builtinFlows } from "./credentials/oauth/flows.ts";
export { nousSubscription } from "./credentials/oauth/nous.ts";
export { CredentialPool, type PoolMember } from "./credentials/pool.ts";
export { PoolMemory } from "./credentials/pool-memory.ts";
export { CredentialRecovery, type RecoveryStep } from "./credentials/recovery.ts";
export { CredentialUnavailableError, KeyScopeError, noCredential } from "./credentials/scoped.ts";
export { openTlsConnections } from "./credentials/tls.ts";
export { type DemoModel, demoModelName, serveDemoModel } from "./demo/server.ts";
export { classify } from "./failures/classify.ts";
export { type Explanation, explain } from "./failures/explain.ts";
export type { Consequences, FailureKind, ModelFailure } from "./failures/failure.ts";
export type { AttemptFault, FailureFacts } from "./failures/fault.ts";
export { localFailure } from "./failures/local-failure.ts";
export { fittingOutputTokens, retryDelayMs } from "./failures/retry-delay.ts";
export { type FallbackEntry, parseEntries, parseFallbackChain } from "./fallback/chain.ts";
export { startTarget } from "./fallback/start-target.ts";
export { beginTurn, type FallbackState, hasFallbackLeft, openFallback } from "./fallback/state.ts";
export { type FallbackEvent, type SwitchDeps, switchTarget } from "./fallback/switch-target.ts";
export { fallbackTiming } from "./fallback/timing.ts";
export { type Models, openModels } from "./open.ts";
export { type PreparedRequest, prepareRequest } from "./prepare.ts";
export { countRepairs } from "./protocols/shared/history.ts";
export type { AccountLine } from "./providers/account-probes.ts";
export { fetchBedrockModels } from "./providers/bedrock-models.ts";
export { readNamedEndpoints } from "./providers/custom.ts";
export { detectLocalServer, findLocalServers, localServerFacts } from "./providers/local.ts";
export { parseModelWish } from "./providers/model-wish.ts";
export { ModelsCache } from "./providers/models-cache.ts";
export { fetchModels } from "./providers/models-list.ts";
export { type ProviderProfile, profile } from "./providers/provider.ts";
export { type Recommended, readRecommended, refreshRecommended } from "./providers/recommended.ts";
export { ProviderRegistry } from "./providers/registry.ts";
export { describeRateLimits, RateLimitBook, type RateLimits, readRateLimits } from "./rate-limits.ts";
export type { ModelRequest, ReasoningEffort, RequestOptions } from "./request.ts";
export {
  OnceNotices,
  type Resolution,
  type ResolutionFailure,
  type ResolveContext,
  type ResolvedTarget,
  type TargetWish,
} from "./resolve/context.ts";
export { demoProvider } from "./resolve/demo.ts";
export { findCredentials } from "./resolve/found-credentials.ts";
export { LocalDetection } from "./resolve/local-detection.ts";
export { choiceToSave, listChoices, type PickerEntry } from "./resolve/picker.ts";
export { isPlaced, probeKey } from "./resolve/probe-key.ts";
export { resolveTarget } from "./resolve/resolve.ts";
export type { ProviderSettings } from "./resolve/settings.ts";
export { type ModelSwitch, switchModel } from "./resolve/switch-model.ts";
export { type UsableProvider, usableProviders } from "./resolve/usable-providers.ts";
export type { ProtocolName, Target, TargetLimits, TargetQuirks, TargetTimeouts } from "./target.ts";
export type { FoundCall, ParseOptions, ParseResult, ToolCallParser } from "./tool-call-parsers/parser.ts";
export { getParser, listParsers } from "./tool-call-parsers/registry.ts";
export { ParserStream } from "./tool-call-parsers/stream.ts";
export { type Connections, openConnections } from "./transport/connections.ts";
