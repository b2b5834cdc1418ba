package objects

// The part of the Kubernetes API that a gateway consists of. Field names,
// order and omission follow the API's own Go types.

type typeMeta struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

type objectMeta struct {
	Name        string            `json:"name,omitempty"`
	Namespace   string            `json:"namespace,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type serviceAccount struct {
	typeMeta
	Metadata  objectMeta `json:"metadata"`
	Automount bool       `json:"automountServiceAccountToken"`
}

type role struct {
	typeMeta
	Metadata objectMeta   `json:"metadata"`
	Rules    []policyRule `json:"rules"`
}

type policyRule struct {
	Verbs         []string `json:"verbs"`
	APIGroups     []string `json:"apiGroups"`
	Resources     []string `json:"resources"`
	ResourceNames []string `json:"resourceNames"`
}

type roleBinding struct {
	typeMeta
	Metadata objectMeta `json:"metadata"`
	Subjects []subject  `json:"subjects"`
	RoleRef  roleRef    `json:"roleRef"`
}

type subject struct {
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

type roleRef struct {
	APIGroup string `json:"apiGroup"`
	Kind     string `json:"kind"`
	Name     string `json:"name"`
}

type configMap struct {
	typeMeta
	Metadata objectMeta        `json:"metadata"`
	Data     map[string]string `json:"data"`
}

type service struct {
	typeMeta
	Metadata objectMeta  `json:"metadata"`
	Spec     serviceSpec `json:"spec"`
}

type serviceSpec struct {
	Ports                         []servicePort     `json:"ports"`
	Selector                      map[string]string `json:"selector"`
	ClusterIP                     string            `json:"clusterIP,omitempty"`
	ClusterIPs                    []string          `json:"clusterIPs,omitempty"`
	Type                          string            `json:"type"`
	SessionAffinity               string            `json:"sessionAffinity"`
	LoadBalancerIP                string            `json:"loadBalancerIP,omitempty"`
	ExternalTrafficPolicy         string            `json:"externalTrafficPolicy,omitempty"`
	IPFamilies                    []string          `json:"ipFamilies"`
	IPFamilyPolicy                string            `json:"ipFamilyPolicy"`
	AllocateLoadBalancerNodePorts *bool             `json:"allocateLoadBalancerNodePorts,omitempty"`
	InternalTrafficPolicy         string            `json:"internalTrafficPolicy"`
}

type servicePort struct {
	Name       string `json:"name"`
	Protocol   string `json:"protocol"`
	Port       int32  `json:"port"`
	TargetPort string `json:"targetPort"`
}

type podDisruptionBudget struct {
	typeMeta
	Metadata objectMeta              `json:"metadata"`
	Spec     podDisruptionBudgetSpec `json:"spec"`
}

type podDisruptionBudgetSpec struct {
	MinAvailable int32         `json:"minAvailable"`
	Selector     labelSelector `json:"selector"`
}

type labelSelector struct {
	MatchLabels map[string]string `json:"matchLabels"`
}

type statefulSet struct {
	typeMeta
	Metadata objectMeta      `json:"metadata"`
	Spec     statefulSetSpec `json:"spec"`
}

type statefulSetSpec struct {
	Replicas             int32          `json:"replicas"`
	Selector             labelSelector  `json:"selector"`
	Template             podTemplate    `json:"template"`
	ServiceName          string         `json:"serviceName"`
	PodManagementPolicy  string         `json:"podManagementPolicy"`
	UpdateStrategy       updateStrategy `json:"updateStrategy"`
	RevisionHistoryLimit int32          `json:"revisionHistoryLimit"`
	PVCRetention         pvcRetention   `json:"persistentVolumeClaimRetentionPolicy"`
}

type updateStrategy struct {
	Type string `json:"type"`
}

type pvcRetention struct {
	WhenDeleted string `json:"whenDeleted"`
	WhenScaled  string `json:"whenScaled"`
}

type podTemplate struct {
	Metadata objectMeta `json:"metadata"`
	Spec     podSpec    `json:"spec"`
}

type podSpec struct {
	Volumes                       []volume           `json:"volumes"`
	InitContainers                []container        `json:"initContainers"`
	Containers                    []container        `json:"containers"`
	RestartPolicy                 string             `json:"restartPolicy"`
	TerminationGracePeriodSeconds int64              `json:"terminationGracePeriodSeconds"`
	DNSPolicy                     string             `json:"dnsPolicy"`
	NodeSelector                  map[string]string  `json:"nodeSelector,omitempty"`
	ServiceAccountName            string             `json:"serviceAccountName"`
	ServiceAccount                string             `json:"serviceAccount"` // the server fills in the old name of the field
	AutomountServiceAccountToken  bool               `json:"automountServiceAccountToken"`
	SecurityContext               podSecurityContext `json:"securityContext"`
	Affinity                      affinity           `json:"affinity"`
	SchedulerName                 string             `json:"schedulerName"`
	Tolerations                   []toleration       `json:"tolerations,omitempty"`
	EnableServiceLinks            bool               `json:"enableServiceLinks"`
}

type podSecurityContext struct {
	Sysctls        []sysctl       `json:"sysctls,omitempty"`
	SeccompProfile seccompProfile `json:"seccompProfile"`
}

type sysctl struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type seccompProfile struct {
	Type string `json:"type"`
}

type affinity struct {
	NodeAffinity nodeAffinity `json:"nodeAffinity"`
}

type nodeAffinity struct {
	Required nodeSelector `json:"requiredDuringSchedulingIgnoredDuringExecution"`
}

type nodeSelector struct {
	Terms []nodeSelectorTerm `json:"nodeSelectorTerms"`
}

type nodeSelectorTerm struct {
	MatchExpressions []nodeRequirement `json:"matchExpressions"`
}

type nodeRequirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
}

type toleration struct {
	Key               string `json:"key,omitempty"`
	Operator          string `json:"operator,omitempty"`
	Value             string `json:"value,omitempty"`
	Effect            string `json:"effect,omitempty"`
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

type volume struct {
	Name      string           `json:"name"`
	HostPath  *hostPathVolume  `json:"hostPath,omitempty"`
	EmptyDir  *emptyDirVolume  `json:"emptyDir,omitempty"`
	ConfigMap *configMapVolume `json:"configMap,omitempty"`
	Projected *projectedVolume `json:"projected,omitempty"`
}

type hostPathVolume struct {
	Path string `json:"path"`
	Type string `json:"type"`
}

type emptyDirVolume struct {
	SizeLimit string `json:"sizeLimit"`
}

type configMapVolume struct {
	Name        string      `json:"name"`
	Items       []keyToPath `json:"items"`
	DefaultMode int32       `json:"defaultMode"`
}

type keyToPath struct {
	Key  string `json:"key"`
	Path string `json:"path"`
}

type projectedVolume struct {
	Sources     []volumeProjection `json:"sources"`
	DefaultMode int32              `json:"defaultMode"`
}

type volumeProjection struct {
	DownwardAPI         *downwardAPIProjection         `json:"downwardAPI,omitempty"`
	ConfigMap           *configMapProjection           `json:"configMap,omitempty"`
	ServiceAccountToken *serviceAccountTokenProjection `json:"serviceAccountToken,omitempty"`
}

type downwardAPIProjection struct {
	Items []downwardAPIFile `json:"items"`
}

type downwardAPIFile struct {
	Path     string   `json:"path"`
	FieldRef fieldRef `json:"fieldRef"`
}

type configMapProjection struct {
	Name  string      `json:"name"`
	Items []keyToPath `json:"items"`
}

type serviceAccountTokenProjection struct {
	ExpirationSeconds int64  `json:"expirationSeconds"`
	Path              string `json:"path"`
}

type fieldRef struct {
	APIVersion string `json:"apiVersion"`
	FieldPath  string `json:"fieldPath"`
}

type container struct {
	Name                     string          `json:"name"`
	Image                    string          `json:"image"`
	Command                  []string        `json:"command,omitempty"`
	Args                     []string        `json:"args,omitempty"`
	WorkingDir               string          `json:"workingDir,omitempty"`
	Ports                    []containerPort `json:"ports,omitempty"`
	Env                      []envVar        `json:"env,omitempty"`
	Resources                resources       `json:"resources"`
	VolumeMounts             []volumeMount   `json:"volumeMounts,omitempty"`
	ReadinessProbe           *probe          `json:"readinessProbe,omitempty"`
	TerminationMessagePath   string          `json:"terminationMessagePath"`
	TerminationMessagePolicy string          `json:"terminationMessagePolicy"`
	ImagePullPolicy          string          `json:"imagePullPolicy"`
	SecurityContext          securityContext `json:"securityContext"`
}

type containerPort struct {
	Name          string `json:"name"`
	ContainerPort int32  `json:"containerPort"`
	Protocol      string `json:"protocol"`
}

type envVar struct {
	Name      string        `json:"name"`
	Value     string        `json:"value,omitempty"`
	ValueFrom *envVarSource `json:"valueFrom,omitempty"`
}

type envVarSource struct {
	FieldRef     *fieldRef     `json:"fieldRef,omitempty"`
	SecretKeyRef *secretKeyRef `json:"secretKeyRef,omitempty"`
}

type secretKeyRef struct {
	Name     string `json:"name"`
	Key      string `json:"key"`
	Optional bool   `json:"optional"`
}

type resources struct {
	Limits   map[string]string `json:"limits,omitempty"`
	Requests map[string]string `json:"requests,omitempty"`
}

type volumeMount struct {
	Name      string `json:"name"`
	ReadOnly  bool   `json:"readOnly,omitempty"`
	MountPath string `json:"mountPath"`
}

type probe struct {
	HTTPGet          *httpGetAction   `json:"httpGet,omitempty"`
	TCPSocket        *tcpSocketAction `json:"tcpSocket,omitempty"`
	TimeoutSeconds   int32            `json:"timeoutSeconds"`
	PeriodSeconds    int32            `json:"periodSeconds"`
	SuccessThreshold int32            `json:"successThreshold"`
	FailureThreshold int32            `json:"failureThreshold"`
}

type httpGetAction struct {
	Path   string `json:"path"`
	Port   string `json:"port"`
	Scheme string `json:"scheme"`
}

type tcpSocketAction struct {
	Port string `json:"port"`
}

type securityContext struct {
	Capabilities             capabilities `json:"capabilities"`
	RunAsUser                int64        `json:"runAsUser"`
	RunAsGroup               int64        `json:"runAsGroup"`
	RunAsNonRoot             bool         `json:"runAsNonRoot"`
	ReadOnlyRootFilesystem   bool         `json:"readOnlyRootFilesystem"`
	AllowPrivilegeEscalation bool         `json:"allowPrivilegeEscalation"`
}

type capabilities struct {
	Add  []string `json:"add,omitempty"`
	Drop []string `json:"drop"`
}
