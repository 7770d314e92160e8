package ground

// Ids of demo rows for examples of nested paths, those of the first device.
const (
	SampleDevice           int64 = 1
	SampleDeviceDataSource int64 = 1
	SampleInstance         int64 = 1
	SampleInstanceGroup    int64 = 1
	SampleGroup            int64 = 8
	SampleDataSource       int64 = 1
	SampleDataPoint        int64 = 1001
	SampleInstancePoint    int64 = 7001 // a data point of the instance
)
